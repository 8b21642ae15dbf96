/** A plain call over HTTP: each message is a POST, and its answer is JSON of a known length, or it is left to the host. */
import type { Message, Request, Response as Answer } from "../../protocol/jsonrpc.ts";
import { AheadFetch } from "../../transport/ahead-fetch.ts";
import { PostHeaders } from "../../transport/http-headers.ts";
import { HttpSession } from "../../transport/http-session.ts";
import type { Soon } from "./soon.ts";
import type { Talk, TalkEnd } from "./talk.ts";

/** What was asked, where the host must go on. */
export interface Asked {
  asked: AheadFetch;
}

/** Says all that is to be said. `leave` is to be called when that was printed. */
export async function converseByPost(
  talk: Talk,
  url: string,
  soon: Soon,
): Promise<(TalkEnd & { leave: () => Promise<void> }) | Asked> {
  const asked = new AheadFetch(url);
  const link = new PlainLink(asked, soon);
  const end = await converse(talk, link);
  return end === undefined ? { asked } : { ...end, leave: () => link.leave() };
}

// --- internal ---

async function converse(talk: Talk, link: PlainLink): Promise<TalkEnd | undefined> {
  let lines = talk.begin();
  for (;;) {
    let answer: string | undefined;
    for (const line of lines.trimEnd().split("\n")) {
      answer = await link.ask(line);
      if (answer === undefined) return undefined;
    }
    const step = talk.heard(answer ?? "");
    if (step === undefined || link.isOdd) return undefined;
    if ("text" in step) return step;
    lines = step.send;
  }
}

const answerBytesMax = 1_048_576;

class PlainLink {
  readonly #server: AheadFetch;
  readonly #soon: Soon;
  readonly #session: HttpSession;
  readonly #headers: PostHeaders;
  /** Something is to be told to people. */
  isOdd = false;

  constructor(server: AheadFetch, soon: Soon) {
    this.#server = server;
    this.#soon = soon;
    const log = () => void (this.isOdd = true);
    this.#session = new HttpSession({ name: "server", log, session: undefined });
    this.#headers = new PostHeaders(this.#session);
  }

  /** The text of the answer, empty for a notification; undefined where that is not as plain as can be. */
  async ask(line: string): Promise<string | undefined> {
    const message = JSON.parse(line) as Message;
    const response = await this.#soon.of(
      this.#server.post(line, this.#headers.of(message, undefined)),
    );
    if (response === undefined) return undefined;
    if (!("id" in message)) return isTaken(response) ? "" : undefined;
    if (!isPlain(response)) return undefined;
    const bytes = await this.#soon.of(this.#server.bytes(response));
    return bytes && this.#read(bytes, response, message as Request);
  }

  /** The end of its session is told to the server, which need not answer in time. */
  async leave(): Promise<void> {
    if (this.#session.endsWithLink) await this.#soon.of(this.#server.end(this.#session.headers));
  }

  // --- internal ---

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
  return ok && (body === null || status === 204 || headers.get("content-length") === "0");
}

function isPlain({ status, headers }: Response): boolean {
  const length = headers.get("content-length");
  return (
    status === 200 &&
    headers.get("content-type")?.startsWith("application/json") === true &&
    headers.get("content-encoding") === null &&
    length !== null &&
    Number(length) <= answerBytesMax
  );
}
