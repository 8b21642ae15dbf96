/** What every request of one client needs. Types only. */
import type { JsonObject } from "../base/json.ts";
import type { Codec, Envelope } from "../protocol/codec.ts";
import type { About } from "../transport/peer-request.ts";
import type { Answer, Peer } from "../transport/peer-types.ts";
import type { ConnectOptions } from "./connect-types.ts";
import type { Inbound } from "./inbound.ts";
import type { McpClient, RequestOptions } from "./types.ts";

export interface Line extends ConnectOptions {
  peer: Peer;
  codec: Codec;
  /** Goes with each request, which puts its id in as it is dressed. */
  envelope: Envelope;
  watch: Watch | undefined;
  listen: Inbound["listen"];
  ask: Ask;
  /** Itself. */
  client: () => McpClient;
}

/** One exchange: a request and what it is answered with, whatever that means. */
export type Ask = (
  method: string,
  params: JsonObject,
  options: RequestOptions,
  about?: About,
) => Promise<Answer>;

/** One request. */
export interface Asked {
  method: string;
  params: JsonObject;
  about?: About | undefined;
}

/** Sees how requests end, on a link to a server that may change what it speaks under our hands. */
export interface Watch {
  /** Why nothing more is sent on this link, where that is so. */
  refusal(method: string): Error | undefined;
  answered(): void;
  /** Resolves with the error that a request fails with that failed with `error`; never rejects. */
  failed(error: Error, method: string): Promise<Error>;
}
