/** Fixture servers that are watched, and small ways to see their states and events. */
import { tools } from "../host/kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";

/** A server with the tools of the fixture that are called here. */
export function fixture(options: Fixture = {}): Fixture {
  return { tools: tools("echo", "exit", "lists", "pid", "refuse", "wait"), ...options };
}

/** A server whose command is not there. */
export const gone = { command: "/nowhere/at/all", args: [] };

/** The JSON that is answered at a path. */
export async function json(it: ServedHost, path: string): Promise<any> {
  return await (await it.ask(path)).json();
}

/** The state of each server by `/health`. */
export async function states(it: ServedHost): Promise<Record<string, string>> {
  const { servers } = await json(it, "/health");
  return Object.fromEntries(servers.map(({ name, state }: any) => [name, state]));
}

interface Listening {
  events: { event: string; data: any }[];
  text(): string;
  end(): Promise<void>;
  ended: Promise<void>;
}

/** Listens at `/events`, and keeps what comes. */
export async function listen(it: ServedHost, token?: string): Promise<Listening> {
  const answer = await it.ask("/events", token === undefined ? {} : { token });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  const events: Listening["events"] = [];
  let text = "";
  const read = async () => {
    let rest = "";
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (event !== undefined) events.push({ event, data: JSON.parse(data ?? "null") });
      }
    }
  };
  const ended = read().catch(() => {});
  return { events, text: () => text, end: () => reader.cancel(), ended };
}
