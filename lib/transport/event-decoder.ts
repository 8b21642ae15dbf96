/**
 * The text of an event stream, out of its bytes. Some servers send an answer as JSON under this type, without any event:
 * such a body becomes the data of one.
 */
export class EventDecoder {
  readonly #decoder = new TextDecoder();
  /** Whether it is JSON; undefined: nothing came yet. */
  #isBare: boolean | undefined;

  decode(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#isBare === false || text === "") return text;
    const lines = text.replace(/\r\n|[\r\n]/g, "\ndata: ");
    if (this.#isBare === true) return lines;
    this.#isBare = isBare(text);
    return this.#isBare ? `data: ${lines}` : text;
  }
}

// --- internal ---

/** The line of an event that begins so would mean nothing. */
function isBare(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
