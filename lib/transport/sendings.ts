/** Requests on their way into the link, until it took them. Those that leave in one write wait together, and once. */
import type { PeerRequest } from "./peer-request.ts";

export interface SendingsOptions {
  /** It was handed over whole. */
  sent: (request: PeerRequest) => void;
  unsent: (request: PeerRequest, error: unknown) => void;
}

export class Sendings {
  readonly #options: SendingsOptions;
  /** The last of them that are on their way. */
  #batch: Batch | undefined;

  constructor(options: SendingsOptions) {
    this.#options = options;
  }

  /** `written`: what the transport says of it. */
  add(request: PeerRequest, written: Promise<void>): void {
    if (this.#batch?.written === written) this.#batch.requests.push(request);
    else this.#batch = this.#begin(request, written);
    request.sending = this.#batch.settled;
  }

  #begin(request: PeerRequest, written: Promise<void>): Batch {
    const { sent, unsent } = this.#options;
    const requests = [request];
    const settled = written.then(
      () => this.#over(batch).forEach(sent),
      (error: unknown) => this.#over(batch).forEach((one) => unsent(one, error)),
    );
    const batch: Batch = { written, settled, requests };
    return batch;
  }

  #over(batch: Batch): PeerRequest[] {
    if (this.#batch === batch) this.#batch = undefined;
    return batch.requests;
  }
}

// --- internal ---

interface Batch {
  written: Promise<void>;
  /** Never rejects. */
  settled: Promise<void>;
  requests: PeerRequest[];
}
