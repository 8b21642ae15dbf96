/** A plain call over HTTP: each message is a POST, and its answer is JSON of a known length, or it is left to the host. */
import type { Message, Request, Response as Answer } from "../../protocol/jsonrpc.ts";
import { AheadFetch } from "../../transport/ahead-fetch.ts";
import { PostHeaders } from "../../transport/http-headers.ts";
import { HttpSession } from "../../transport/http-session.ts";
import type { Io, KnownEra } from "../types.ts";
import { callPlainly } from "./call.ts";
import type { PlainEnd, PlainLink, Soon } from "./call.ts";
import type { PlainLine } from "./line.ts";
import type { Talk, TalkEnd } from "./talk.ts";

/** What was asked, where the host must go on. */
export interface Asked {
  asked: AheadFetch;
  known: KnownEra | undefined;
}

/** Makes the call of a line to the server at a URL, if all else is plain as well. */
export async function callByPost(
  line: PlainLine,
  url: string,
  env: Io["env"],
): Promise<NonNullable<PlainEnd> | Asked> {
  const asked = new AheadFetch(url);
  const link: PlainLink = new PostLink(url, asked);
  const end = await callPlainly(line, link, env);
  return end ?? { asked, known: link.known };
}

// --- internal ---

const answerBytesMax = 1_048_576;

class PostLink implements PlainLink {
  readonly kind = "http";
  readonly server: { url: string; transport: string };
  readonly #asked: AheadFetch;
  readonly #session: HttpSession;
  readonly #headers: PostHeaders;
  /** Something is to be told to people. */
  #isOdd = false;

  constructor(url: string, asked: AheadFetch) {
    this.server = { url, transport: "auto" };
    this.#asked = asked;
    const log = () => void (this.#isOdd = true);
    this.#session = new HttpSession({ name: "server", log, session: undefined });
    this.#headers = new PostHeaders(this.#session);
  }

  async converse(talk: Talk, soon: Soon): Promise<TalkEnd | undefined> {
    let lines = talk.begin();
    for (;;) {
      let answer: string | undefined;
      for (const line of lines.trimEnd().split("\n")) {
        answer = await this.#ask(line, soon);
        if (answer === undefined) return undefined;
      }
      const step = talk.heard(answer ?? "");
      if (step === undefined || this.#isOdd) return undefined;
      if ("text" in step) return step;
      lines = step.send;
    }
  }

  /** The end of its session is told to the server, which need not answer in time. */
  async leave(soon: Soon): Promise<void> {
    if (this.#session.endsWithLink) await soon.of(this.#asked.end(this.#session.headers));
  }

  // --- internal ---

  /** The text of the answer, empty for a notification; undefined where that is not as plain as can be. */
  async #ask(line: string, soon: Soon): Promise<string | undefined> {
    const message = JSON.parse(line) as Message;
    const response = await soon.of(this.#asked.post(line, this.#headers.of(message, undefined)));
    if (response === undefined) return undefined;
    if (!("id" in message)) return isTaken(response) ? "" : undefined;
    if (!isPlain(response)) return undefined;
    const bytes = await soon.of(this.#asked.bytes(response));
    return bytes && this.#read(bytes, response, message as Request);
  }

  #read(bytes: Uint8Array, { headers }: Response, message: Request): string | undefined {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      if (message.method !== "initialize") this.#session.check(headers);
      else {
        this.#session.begin(headers);
        this.#session.agree(message, JSON.parse(text) as Answer);
      }
      return text;
    } catch {
      return undefined;
    }
  }
}

function isTaken({ ok, status, body, headers }: Response): boolean {
  if (headers.has("set-cookie")) return false;
  return ok && (body === null || status === 204 || headers.get("content-length") === "0");
}

function isPlain({ status, headers }: Response): boolean {
  const length = headers.get("content-length");
  return (
    status === 200 &&
    headers.get("content-type")?.startsWith("application/json") === true &&
    headers.get("content-encoding") === null &&
    // To be sent back.
    !headers.has("set-cookie") &&
    length !== null &&
    Number(length) <= answerBytesMax
  );
}
