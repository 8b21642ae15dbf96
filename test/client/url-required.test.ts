/** Calls that are refused until an address was visited (-32042): consent, the wait, and the second try. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import type { Answers } from "../../lib/client/answer-types.ts";
import { connect } from "../../lib/client/client.ts";
import { accept } from "./answers-kit.ts";
import { legacyScript, scripted, text, until } from "./kit.ts";
import type { Scripted } from "./kit.ts";

const complete = (far: any, elicitationId: string) =>
  far.send({ method: "notifications/elicitation/complete", params: { elicitationId } });

const calls = (server: Scripted) => server.methods().filter((one) => one === "tools/call");

describe("-32042", () => {
  const elicitations = ["one", "two"].map((elicitationId) => ({
    mode: "url",
    elicitationId,
    url: `https://example.com/${elicitationId}`,
    message: "Sign in",
  }));
  const error = { code: -32042, message: "visit these first", data: { elicitations } };

  /** Refuses the first `times` calls. */
  function refusing(times: number, answers: Answers, then: (far: any) => void = () => {}) {
    let left = times;
    return scripted(
      legacyScript({
        call: ({ id }, far) => {
          if (left-- <= 0) return text("done");
          far.send({ id, error });
          then(far);
        },
      }),
      { answers },
    );
  }

  test("the URLs are visited, their completion waited for, and the call is sent once more", async () => {
    const visited: unknown[] = [];
    let far: any;
    const server = refusing(
      1,
      { elicitUrl: async ({ url }) => (visited.push(url), { action: "accept" }) },
      (it) => (far = it),
    );
    await using client = await connect(server.options);
    let sent = 0;
    const call = client.callTool("one", { x: 1 }, { onSent: () => sent++ });
    await until(() => visited.length === 2);
    complete(far, "stranger");
    complete(far, "one");
    complete(far, "one");
    await Bun.sleep(20);
    expect(calls(server)).toHaveLength(1);
    complete(far, "two");
    expect((await call).result).toMatchObject(text("done"));
    expect(calls(server)).toHaveLength(2);
    expect(sent).toBe(1);
    expect(visited).toEqual(["https://example.com/one", "https://example.com/two"]);
  });

  test("what is complete before the last question is answered is not waited for", async () => {
    let far: any;
    const elicitUrl = async ({ elicitationId }: JsonObject) => {
      complete(far, String(elicitationId));
      await Bun.sleep(5);
      return { action: "accept" };
    };
    const server = refusing(1, { elicitUrl }, (it) => (far = it));
    await using client = await connect(server.options);
    expect((await client.callTool("one", {}, { timeoutMs: 20_000 })).result).toMatchObject(
      text("done"),
    );
  });

  test("a server that tells of no completion is asked again when the time is up, once", async () => {
    const server = refusing(9, { elicitUrl: accept });
    await using client = await connect(server.options);
    const call = client.callTool("one", {}, { timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({ code: -32042 });
    expect(calls(server)).toHaveLength(2);
  });

  test("whoever knows that it was visited need not wait", async () => {
    const got: unknown[] = [];
    const server = refusing(1, {
      elicitUrl: async (_, { completed }) => {
        got.push(completed instanceof Promise);
        return { action: "accept", done: true };
      },
    });
    await using client = await connect(server.options);
    const { result } = await client.callTool("one", {}, { timeoutMs: 60_000 });
    expect(result).toMatchObject(text("done"));
    expect(got).toEqual([true, true]);
  });

  test("without consent the error stands; nobody there to ask: the same", async () => {
    for (const answers of [{ elicitUrl: async () => ({ action: "cancel" }) }, {}]) {
      const server = refusing(1, answers);
      await using client = await connect(server.options);
      await expect(client.callTool("one", {})).rejects.toMatchObject({ code: -32042 });
      expect(calls(server)).toHaveLength(1);
    }
  });

  test("Ctrl-C ends the wait", async () => {
    const abort = new AbortController();
    const server = refusing(1, {
      elicitUrl: async () => {
        setTimeout(() => abort.abort(), 20);
        return { action: "accept" };
      },
    });
    await using client = await connect(server.options);
    const call = client.callTool("one", {}, { signal: abort.signal });
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
  });
});
