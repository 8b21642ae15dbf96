/** Answers of servers by a URL that break off or are lost: what is asked for again, and what is not. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { answering, echo, hostOf, refused } from "./remote-kit.ts";

/** Ends the answer before it is whole. */
function brokenOff(): Response {
  const headers = { "content-type": "text/event-stream" };
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(":\n\n"));
      controller.close();
    },
  });
  return new Response(body, { headers });
}

const forgotten = () => new Response("no session", { status: 404 });

const denied = () => new Response("who?", { status: 401 });

describe.each([
  ["legacy", "breaks off", brokenOff, "server_exit"],
  ["modern", "breaks off", brokenOff, "server_exit"],
  ["legacy", "is of a session that is gone", forgotten, "server_exit"],
  ["modern", "wants a sign-in", denied, "auth_required"],
] as const)("a list (%s) whose third page %s", (era, _, fail, code) => {
  test("is asked for anew where the link is lost, and what came before is kept where that fails", async () => {
    let failures = 1;
    await using server = await serveRemote({
      transport: "http",
      era,
      pageSize: 2,
      intercept: ({ message }) => {
        const { cursor } = ((message as JsonObject | undefined)?.params ?? {}) as JsonObject;
        return cursor === "at-4" && failures-- > 0 ? fail() : undefined;
      },
    });
    await using host = await hostOf(server);
    const one = await host.tools();
    expect(one.failed).toHaveLength(code === "server_exit" ? 0 : 1);
    const whole = await host.tools();
    expect([whole.failed, whole.tools.length > 4]).toEqual([[], true]);
    failures = Infinity;
    await using other = await hostOf(server);
    const half = await other.tools();
    expect(half.failed.map(({ error }) => error.code)).toEqual([code]);
    expect(half.tools).toEqual(whole.tools.slice(0, 4));
    expect(await echo(other, "hi")).toBe("hi");
  });
});

/** An event stream that ends before there is anything in it. */
const cutOff = () =>
  new Response(": nothing\n\n", { headers: { "content-type": "text/event-stream" } });

test("a call whose answer was lost is uncertain, and never sent again", async () => {
  for (const era of ["legacy", "modern"] as const) {
    await using server = await serveRemote({
      transport: "http",
      era,
      intercept: answering("tools/call", cutOff),
    });
    await using host = await hostOf(server);
    const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
    expect(outcome).toMatchObject({ status: "uncertain", error: { code: "uncertain" } });
    expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(1);
  }
});

test("a list whose answer was lost is asked for once more, and no oftener", async () => {
  for (const times of [1, 2]) {
    await using server = await serveRemote({
      transport: "http",
      era: "modern",
      intercept: answering("tools/list", (_, count) => (count <= times ? cutOff() : undefined)),
    });
    await using host = await hostOf(server);
    const { failed } = await host.tools();
    expect(failed).toHaveLength(times - 1);
    expect(server.methods()).toEqual(["server/discover", "tools/list", "tools/list"]);
  }
});

test("a call that was answered under its own id is never sent again", async () => {
  await using server = await serveRemote({
    transport: "http",
    intercept: answering("tools/call", (id) =>
      refused(id, { code: -32000, message: "argument session_id is no uuid" }),
    ),
  });
  await using host = await hostOf(server);
  const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "rpc_error" } });
  expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(1);
});
