/**
 * Requests to a remote server that somebody made before the link to it is there. Who opens the link makes the same from the
 * start: what was asked is not asked again, but answered, or failed, as it was.
 */
import { HostError } from "../base/errors.ts";
import type { Answered } from "./fetch-types.ts";
import { userAgent } from "./http-headers.ts";

interface Asked {
  body: string;
  control: AbortController;
  response: Promise<Response>;
  /** Its body, where that was read. */
  bytes?: Promise<Uint8Array>;
}

/** Asks one server ahead of its link (`post`, `bytes`), and is then what the fetch of the link gets its answers from (`again`). */
export class AheadFetch implements Answered {
  readonly #url: string;
  readonly #asked: Asked[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  /** Posts a message. @throws whatever `fetch` throws; it is thrown again */
  post(body: string, headers: Headers): Promise<Response> {
    const control = new AbortController();
    const { signal } = control;
    const response = this.#send({ method: "POST", body, headers, signal });
    response.catch(() => {});
    this.#asked.push({ body, control, response });
    return response;
  }

  /** The body of the answer to the last message. */
  bytes(response: Response): Promise<Uint8Array> {
    const bytes = response.bytes();
    bytes.catch(() => {});
    const last = this.#asked.at(-1);
    if (last !== undefined) last.bytes = bytes;
    return bytes;
  }

  /** Tells the server that its session is over. */
  async end(headers: Readonly<Record<string, string>>): Promise<void> {
    await this.#send({ method: "DELETE", headers: { "User-Agent": userAgent, ...headers } });
  }

  again(body: RequestInit["body"], signal: AbortSignal | null | undefined) {
    const at = this.#asked.findIndex((asked) => asked.body === body);
    const [asked] = at < 0 ? [] : this.#asked.splice(at, 1);
    if (asked !== undefined) return answerAgain(asked, signal);
    // Whatever that is, it would be done twice.
    if (isCall(body) && this.#asked.some((other) => isCall(other.body))) throw twoVoices();
    return undefined;
  }

  // --- internal ---

  #send(init: BunFetchRequestInit): Promise<Response> {
    return fetch(this.#url, {
      ...init,
      proxy: false,
      redirect: "manual",
      timeout: false,
    } as BunFetchRequestInit);
  }
}

// --- internal ---

async function answerAgain(
  { control, response: answer, bytes }: Asked,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  const abort = () => control.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const response = await answer;
  return bytes === undefined ? response : new Response(bodyOf(bytes), response);
}

/** A body that breaks off does so where it is read: its server has answered. */
function bodyOf(bytes: Promise<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(await bytes);
      controller.close();
    },
  });
}

function isCall(body: RequestInit["body"]): boolean {
  return typeof body === "string" && body.includes('"method":"tools/call"');
}

function twoVoices(): HostError {
  return new HostError("uncertain", "the call was sent, and another one was to be sent for it", {
    hint: "find out whether it was done before you call it again",
  });
}
