/**
 * Values that clients carry for us and bring back: nobody else can read, change or make them, and they hold for whom, and
 * what for, they were made. Nothing is kept of them, and the key ends with the process.
 */
import { parseJson } from "../base/json.ts";
import type { Json } from "../base/json.ts";

export interface SealOptions {
  /** A clock in ms that only goes up: the key ends with the process as well. @default performance.now */
  now?: () => number;
  /** Characters of a sealed value; more is neither made nor looked at. @default 1 MiB */
  sealedMax?: number;
}

/** For whom a value is sealed, and what for: whoever opens it has to say the same. */
export interface Bound {
  /** What kind of value it is: none can stand for another. */
  use: string;
  owner: string;
  /** What it belongs to, such as a digest of a request. @default nothing in particular */
  of?: string;
}

/** Why a value was not opened: it is none of ours, as it is, for this owner; it belongs to something else; it is too old. */
export type Unopened = "foreign" | "other" | "expired";

export class Seal {
  readonly #now: () => number;
  readonly #sealedMax: number;
  #key: Promise<CryptoKey> | undefined;

  constructor({ now = () => performance.now(), sealedMax = 1_048_576 }: SealOptions = {}) {
    this.#now = now;
    this.#sealedMax = sealedMax;
  }

  /**
   * The value as text (base64url).
   * @param ttlMs how long it holds; undefined: as long as the process
   * @throws RangeError it is too large
   */
  async seal(value: Json, bound: Bound, ttlMs?: number): Promise<string> {
    const until = ttlMs === undefined ? null : this.#now() + ttlMs;
    const plain = new TextEncoder().encode(JSON.stringify([until, bound.of ?? null, value]));
    const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
    const sealed = await crypto.subtle.encrypt(algorithm(iv, bound), await this.#secret(), plain);
    const text = Buffer.concat([iv, new Uint8Array(sealed)]).toString("base64url");
    if (text.length > this.#sealedMax) throw new RangeError("the value is too large to be sealed");
    return text;
  }

  /** The value, or why there is none. */
  async open(text: string, bound: Bound): Promise<{ value: Json } | Unopened> {
    if (text.length > this.#sealedMax) return "foreign";
    const read = Buffer.from(text, "base64url");
    // Other texts may stand for the same bytes.
    if (read.toString("base64url") !== text) return "foreign";
    const bytes = new Uint8Array(read);
    const [iv, sealed] = [bytes.slice(0, ivBytes), bytes.slice(ivBytes)];
    let plain: ArrayBuffer;
    try {
      plain = await crypto.subtle.decrypt(algorithm(iv, bound), await this.#secret(), sealed);
    } catch {
      return "foreign";
    }
    // What could be opened was made here.
    const made = parseJson(new TextDecoder().decode(plain)) as [number | null, string | null, Json];
    const [until, of, value] = made;
    if (of !== (bound.of ?? null)) return "other";
    return until !== null && this.#now() >= until ? "expired" : { value };
  }

  // --- internal ---

  #secret(): Promise<CryptoKey> {
    this.#key ??= crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]);
    return this.#key;
  }
}

// --- internal ---

/** As AES-GCM wants it; random ones are safe for some 2^32 values of a key. */
const ivBytes = 12;

function algorithm(iv: Uint8Array<ArrayBuffer>, { use, owner }: Bound) {
  return {
    name: "AES-GCM",
    iv,
    additionalData: new TextEncoder().encode(JSON.stringify([use, owner])),
  };
}
