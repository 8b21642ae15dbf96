/**
 * Requests to a remote server that somebody made before the link to it is there. Who opens the link makes the same from the
 * start: what was asked is not asked again, but answered as it was.
 */
import { HostError } from "../base/errors.ts";
import type { ServerFetch } from "./fetch-types.ts";
import type { Fetch } from "./remote.ts";

interface Asked {
  body: string;
  control: AbortController;
  response: Promise<Response>;
  /** Its body, where that was read. */
  bytes?: Promise<Uint8Array>;
}

/** Asks one server ahead of its link (`post`, `bytes`), and is then what the link gets its answers from (`over`). */
export class AheadFetch {
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
    await this.#send({ method: "DELETE", headers });
  }

  /** The fetch of the link, over what was asked. */
  over(own: ServerFetch): ServerFetch {
    const again: Fetch = (url, init = {}) => {
      const at = this.#asked.findIndex(({ body }) => body === init.body);
      const [asked] = at < 0 ? [] : this.#asked.splice(at, 1);
      if (asked !== undefined) return answerAgain(asked, init, () => own(url, init));
      // Whatever that is, it would be done twice.
      if (isCall(init.body) && this.#asked.some(({ body }) => isCall(body))) throw twoVoices();
      return own(url, init);
    };
    return Object.assign(again, { [Symbol.dispose]: () => own[Symbol.dispose]() });
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
  { signal }: RequestInit,
  anew: () => Promise<Response>,
): Promise<Response> {
  const abort = () => control.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const response = await answer;
  const { status } = response;
  // It went elsewhere, or is to be asked later: nothing was done.
  if ((status >= 300 && status < 400) || status === 429 || status === 503) return await anew();
  return bytes === undefined ? response : new Response(await bytes, response);
}

function isCall(body: RequestInit["body"]): boolean {
  return typeof body === "string" && body.includes('"method":"tools/call"');
}

function twoVoices(): HostError {
  return new HostError("uncertain", "the call was sent, and another one was to be sent for it", {
    hint: "find out whether it was done before you call it again",
  });
}
