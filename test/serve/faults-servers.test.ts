/**
 * Servers with a fault behind each face: whoever calls gets an answer in the face's own form, within the time that the
 * server has, and the server is of use to the next one.
 */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { answerTo, enveloped, modernInit, session, textOf, told } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";
import { serveOver } from "./kit.ts";
import { eventsOf, faulty, jsonOf } from "./rest-kit.ts";

/** What a caller is left with: a text, or the words of an error. */
interface Seen {
  text?: string;
  error?: string;
}

type Call = (kit: ServedHost, tool: string, args: object) => Promise<Seen>;

const ofMcp = (answer: Told | undefined): Seen =>
  answer?.error === undefined ? { text: textOf(answer) } : { error: answer.error.message };

/** The ways to call a tool of the server `s`, which is at the same time the only one. */
const ways: Record<string, Call> = {
  "POST /tools": async (kit, tool, params) => {
    const body = await jsonOf(await kit.ask("/tools", { json: { tool: `s_${tool}`, params } }));
    return "error" in body ? { error: body.error } : { text: body.plain_text_response };
  },
  "POST /tools as a stream": async (kit, tool, params) => {
    const json = { tool: `s_${tool}`, params, stream: true };
    const events = await eventsOf(await kit.ask("/tools", { json }));
    const { done, error } = events.at(-1);
    expect(done).toBe(true);
    return error === undefined
      ? { text: events.map(({ chunk = "" }) => chunk).join("") }
      : { error };
  },
  "POST /tools/NAME": async (kit, tool, json) => {
    const body = await jsonOf(await kit.ask(`/tools/s_${tool}`, { json }));
    return "error" in body ? { error: body.error.message } : { text: body.content[0].text };
  },
  "/mcp of a legacy client": async (kit, tool, args) => {
    const client = await session(kit, { path: "/mcp/s" });
    return ofMcp(answerTo(await told(await client.call(tool, args))));
  },
  "/mcp of a modern client": async (kit, tool, args) => {
    const params = { name: tool, arguments: args };
    return ofMcp(answerTo(await told(await kit.ask("/mcp/s", modernInit("tools/call", params)))));
  },
  "/ws": async (kit, tool, args) => {
    const socket = new WebSocket(`${kit.served.url.replace("http", "ws")}/ws/s`);
    const answer = Promise.withResolvers<Told>();
    socket.addEventListener("message", ({ data }) => answer.resolve(JSON.parse(String(data))));
    socket.addEventListener("close", () => answer.reject(new Error("closed")));
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    const params = enveloped({ name: tool, arguments: args });
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    const seen = ofMcp(await answer.promise);
    socket.close();
    return seen;
  },
};

/** Faults of a call, and what is said of each. Who has to be waited for is given up after 500 ms. */
const inCalls: Record<string, RegExp> = {
  "crash-in-call": /exit code 7/,
  "killed-in-call": /SIGKILL/,
  "exit-0-in-call": /exit code 0/,
  "closes-stdout": /closed its stdout/,
  "silent-call": /did not answer tools\/call of fault within 500 ms/,
  late: /did not answer tools\/call of fault within 500 ms/,
  "only-wrong-id": /under its id/,
  "no-result": /neither a result nor an error/,
  "result-null": /no.* object/,
  "result-array": /no.* object/,
  "error-string": /boom/,
  "error-empty": /without a message/,
  "result-and-error": /both/,
};

const waited = ["silent-call", "late", "only-wrong-id"];

describe.each(Object.entries(inCalls))("%s", (fault, words) => {
  test.concurrent.each(Object.entries(ways))("%s", async (_way, call) => {
    await using kit = served(fault, waited.includes(fault) ? { timeoutMs: 500 } : {});
    expect((await call(kit, "fault", {})).error).toMatch(words);
    expect(await call(kit, "echo", { message: "after" })).toEqual({ text: "after" });
  });
});

describe.each(Object.entries(ways))("%s", (_way, call) => {
  test.concurrent.each([
    ["crash-before-initialize", /exited with code 1 before it answered initialize/],
    ["crash-during-initialize", /exited with code 2 before it answered initialize/],
    ["crash-after-initialize", /ended with exit code 3/],
    ["crash-on-list", /ended with exit code 4/],
    ["silent", /did not answer initialize/],
    ["silent-list", /did not answer tools\/list/],
  ])("%s: said at once, and nobody waits for it in a list", async (fault, words) => {
    // Nothing but silence is waited for: what crashes is told of as soon as it has.
    const limits = fault.startsWith("silent") ? { startTimeoutMs: 500, timeoutMs: 500 } : {};
    await using kit = served(fault, limits);
    expect((await call(kit, "echo", { message: "x" })).error).toMatch(words);
    const list = await kit.ask("/tools");
    expect([list.status, await list.json()]).toEqual([200, []]);
  });

  test.concurrent.each(["crash-on-probe", "stubborn", "stderr-flood", "stderr-line", "log-lines"])(
    "%s is no matter",
    async (fault) => {
      await using kit = served(fault);
      expect(await call(kit, "echo", { message: "x" })).toEqual({ text: "x" });
    },
  );
});

test("a server that closes its stdin is stopped, and the next call has another", async () => {
  await using kit = served("closes-stdin", { stopMs: 50 });
  const call = () => ways["POST /tools"]!(kit, "echo", { message: "x" });
  const isDown = async () => (await jsonOf(await kit.ask("/health"))).servers[0].state === "failed";
  for (let life = 0; life < 2; life++) {
    expect((await call()).error).toMatch(/takes no more input/);
    await waitFor(isDown);
  }
});

// --- internal ---

/** Over one server with a fault. */
function served(fault: string, more: Fixture = {}): ServedHost {
  return serveOver({ s: { prefix: "s_", stopMs: 200, ...faulty(fault), ...more } });
}
