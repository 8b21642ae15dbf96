/** Questions at a terminal that are over before they are answered there: they are taken back, and it is said why. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, mcphost, root, tempDir } from "../harness.ts";
import type { TempDir } from "../harness.ts";

const server = [...bunAlone, join(root, "examples/echo.ts")];
const words = ["--ask-tool", "echo", "--", ...server];

/** What waits, oldest first, decided by a command in another terminal. */
async function elsewhere(home: TempDir, ...decision: string[]): Promise<void> {
  const approvals = (...more: string[]) =>
    mcphost("approvals", ...more)
      .home(home.path)
      .run();
  const [{ id }] = JSON.parse((await approvals("--json")).stdout).toReversed();
  const [what = "", ...more] = decision;
  expect((await approvals(what, id, ...more)).code).toBe(0);
}

describe.concurrent("an approval", () => {
  test("that was given in another terminal", async () => {
    await using home = await tempDir();
    const one = mcphost("call", "echo", "message=one", ...words).home(home.path);
    await using screen = await one.terminal();
    await screen.shows(/Allow once/);
    await elsewhere(home, "approve");
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toEndWith(
      'mcphost: no answer is needed any more: echo of server "server" was approved elsewhere (by mcphost approvals)\r\none\r\n',
    );
  });

  test("that was refused there while the reason was typed here", async () => {
    await using home = await tempDir();
    const one = mcphost("call", "echo", "message=one", ...words).home(home.path);
    await using screen = await one.terminal();
    await screen.shows(/Reject/);
    screen.type("\u001b[B\u001b[B\r");
    await screen.shows(/Why\?/);
    await elsewhere(home, "reject", "not now");
    expect(await screen.exited).toBe(5);
    expect(screen.text()).toMatch(
      /any more: echo of server "server" was rejected elsewhere \(by mcphost approvals\)\r\nmcphost: echo of server "server" was rejected: not now\r\n/,
    );
  });

  test("that was given over HTTP: the next question is asked at once", async () => {
    await using home = await tempDir();
    await using screen = await mcphost("serve", "--port", "0", ...words)
      .home(home.path)
      .terminal();
    await screen.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(screen.text())!;
    const [, token = ""] = /Bearer (\S+)/.exec(screen.text())!;
    const post = async (path: string, body: object, headers = {}) =>
      await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
    const call = async (message: string) => {
      const answer = await post("/tools", { tool: "echo", params: { message } });
      return ((await answer.json()) as { plain_text_response: string }).plain_text_response;
    };
    const first = call("one");
    await screen.shows(/"message": "one"[^]*Reject/);
    const second = call("two");
    const [{ id }] = JSON.parse(
      (await mcphost("approvals", "--json").home(home.path).run()).stdout,
    ).toReversed();
    const headers = { authorization: `Bearer ${token}` };
    expect((await post(`/calls/${id}/approve`, {}, headers)).status).toBe(200);
    expect(await first).toBe("one");
    await screen.shows(/was approved elsewhere \(by http\)[^]*"message": "two"[^]*Reject/);
    screen.type("\r");
    expect(await second).toBe("two");
  });
});
