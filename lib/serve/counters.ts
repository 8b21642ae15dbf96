/**
 * What happened so far, as numbers: calls by server and tool, starts and ends of servers. It hears every event as it
 * happens, so that it loses none, and keeps a bounded number of names.
 */
import type { HostEvent } from "../host/types.ts";

/** Upper bounds of the histogram, in seconds. */
export const bucketBounds: readonly number[] = [
  0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300,
];

export interface CallCount {
  server: string;
  /** `otherTools` once there are too many names. */
  tool: string;
  /** By the status of the outcome. */
  ends: Map<string, number>;
  /** How many took at most as long as each of the bounds, one bucket each (not added up). */
  buckets: number[];
  seconds: number;
}

export interface ServerCount {
  running: number;
  starts: number;
  exits: number;
  isUp: boolean;
  /** By the names of its tools. */
  tools: Map<string, CallCount>;
}

/** Tools beyond this many are counted together, and so are names that are longer than a label should be. */
const toolsMaxDefault = 1000;
const nameMax = 200;
export const otherTools = "(other)";

export class Counters {
  readonly #servers = new Map<string, ServerCount>();
  readonly #toolsMax: number;
  /** Of all servers. */
  #tools = 0;

  /** @param servers all there are: a call that names another is not counted, for it reached none, until that one is there */
  constructor(servers: readonly string[], toolsMax: number = toolsMaxDefault) {
    this.#toolsMax = toolsMax;
    for (const server of servers) this.#add(server);
  }

  get calls(): Iterable<CallCount> {
    return this.#servers.values().flatMap(({ tools }) => tools.values());
  }

  get servers(): Iterable<[string, ServerCount]> {
    return this.#servers;
  }

  count(event: HostEvent): void {
    const isState = event.type === "server_state";
    const server = this.#servers.get(event.server) ?? (isState && this.#add(event.server));
    if (!server) return;
    if (event.type === "call_start") server.running += 1;
    if (event.type === "call_end") {
      server.running -= 1;
      this.#ended(server, event);
    }
    if (event.type !== "server_state") return;
    const isUp = event.state === "ready";
    if (event.state === "starting") server.starts += 1;
    if (server.isUp && !isUp) server.exits += 1;
    server.isUp = isUp;
  }

  // --- internal ---

  #add(server: string): ServerCount {
    const count = { running: 0, starts: 0, exits: 0, isUp: false, tools: new Map() };
    this.#servers.set(server, count);
    return count;
  }

  #ended(at: ServerCount, { server, tool, status, durationMs }: HostEvent & { type: "call_end" }) {
    const count = at.tools.get(tool) ?? this.#addTool(at, server, tool);
    const seconds = durationMs / 1000;
    count.ends.set(status, (count.ends.get(status) ?? 0) + 1);
    count.seconds += seconds;
    let bucket = 0;
    while (bucket < bucketBounds.length && seconds > bucketBounds[bucket]!) bucket += 1;
    count.buckets[bucket]! += 1;
  }

  #addTool(at: ServerCount, server: string, tool: string): CallCount {
    // Of each server one more, for all that find no place.
    const isTooMuch = this.#tools >= this.#toolsMax || tool.length > nameMax;
    if (tool !== otherTools && isTooMuch)
      return at.tools.get(otherTools) ?? this.#addTool(at, server, otherTools);
    const buckets = Array.from({ length: bucketBounds.length + 1 }, () => 0);
    const count = { server, tool, ends: new Map<string, number>(), buckets, seconds: 0 };
    at.tools.set(tool, count);
    this.#tools += 1;
    return count;
  }
}
