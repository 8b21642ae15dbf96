/** Requests of modern clients that wait in front of legacy servers for their clients' answers: rounds of questions. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { enveloped, full, gatewayOver, textOf } from "./gateway-kit.ts";
import { accept, ask, asker, asking, call, everything, next, through } from "./input-kit.ts";

describe("rounds", () => {
  test("questions that a server asks at once are asked at once", async () => {
    await using kit = gatewayOver({ s: asking });
    const { last, rounds } = await through(kit, "tools/call", { name: "both" }, ({ params }) => ({
      action: "accept",
      content: { name: params.message },
    }));
    expect(rounds).toHaveLength(1);
    const names = JSON.parse(textOf(last)).map(({ content }: any) => content.name);
    expect(names).toEqual(["One?", "Two?"]);
  });

  test("of several questions those without an answer are asked again, and the others are not", async () => {
    await using kit = gatewayOver({ s: asking });
    const params = { name: "both" };
    const first = await ask(kit, "tools/call", params);
    const one = next(params, first, (asked) =>
      asked.params.message === "One?" ? accept : undefined,
    );
    const second = await ask(kit, "tools/call", one);
    const open = Object.values(second.result.inputRequests) as any[];
    expect(open.map((asked) => asked.params.message)).toEqual(["Two?"]);
    const bad = { ...next(params, second, () => accept), inputResponses: null };
    const third = await ask(kit, "tools/call", bad);
    const odd = next(params, third, () => 12 as never);
    const fourth = await ask(kit, "tools/call", odd);
    expect(Object.keys(fourth.result.inputRequests)).toEqual(
      Object.keys(second.result.inputRequests),
    );
    const last = await ask(
      kit,
      "tools/call",
      next(params, fourth, () => accept),
    );
    expect(JSON.parse(textOf(last))).toEqual([accept, accept]);
  });

  test("each is taken up once: the second with it is refused, and the first goes on", async () => {
    await using kit = gatewayOver({ s: full() });
    const params = { name: "ask" };
    const first = await ask(kit, "tools/call", params);
    const again = next(params, first, () => accept);
    const answers = await Promise.all([
      ask(kit, "tools/call", again),
      ask(kit, "tools/call", again),
    ]);
    const errors = answers.flatMap(({ error }) => error ?? []);
    expect(errors).toEqual([
      { code: -32602, message: expect.stringMatching(/used before|is over/) },
    ]);
    expect(answers.filter(({ result }) => result).map(textOf)).toEqual([JSON.stringify(accept)]);
    expect((await ask(kit, "tools/call", again)).error?.message).toContain("is over");
  });

  test("one of an earlier round is refused, and the round that is open goes on", async () => {
    await using kit = gatewayOver({ s: full() });
    const params = { name: "ask_twice" };
    const first = await ask(kit, "tools/call", params);
    const one = next(params, first, () => accept);
    const second = await ask(kit, "tools/call", one);
    expect(second.result.resultType).toBe("input_required");
    expect((await ask(kit, "tools/call", one)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("used before"),
    });
    const two = next(params, second, () => ({ action: "decline" }));
    const last = await ask(kit, "tools/call", two);
    expect(JSON.parse(textOf(last))).toEqual([accept, { action: "decline" }]);
  });

  test("a question that the server takes back is not waited for", async () => {
    await using kit = gatewayOver({ s: asking });
    const params = { name: "taken" };
    let last = await ask(kit, "tools/call", params);
    expect(last.result.resultType).toBe("input_required");
    // Until it is taken back, it is asked again.
    for (let i = 0; i < 100 && last.result.resultType === "input_required"; i++)
      last = await ask(
        kit,
        "tools/call",
        next(params, last, () => undefined),
      );
    expect(textOf(last)).toBe("done without it");
  });

  test("a URL that must be visited first (-32042) is a question, and the call is made again", async () => {
    await using kit = gatewayOver({ s: asking });
    const { last, rounds } = await through(kit, "tools/call", { name: "visit" }, ({ params }) => {
      expect([params.mode, params.url]).toEqual(["url", "https://example.org/"]);
      return { action: "accept" };
    });
    expect([rounds.length, textOf(last)]).toEqual([1, "visited"]);
    const refused = await through(kit, "tools/call", { name: "visit" }, () => accept);
    expect(textOf(refused.last)).toBe("visited");
  });

  test("a question and its answer go through whole, with what nobody here knows", async () => {
    await using kit = gatewayOver({ s: asker });
    const asked = {
      message: "Who?",
      requestedSchema: { type: "object", properties: {} },
      unknown: [1, null],
      _meta: { "example.org/a": { b: 1 } },
    };
    const args = { method: "elicitation/create", params: asked };
    const params = { name: "ask", arguments: args };
    const answer = { action: "accept", content: {}, more: { a: 1 }, _meta: { c: null } };
    const { last, rounds } = await through(kit, "tools/call", params, () => answer);
    expect(Object.values(rounds[0]!.result.inputRequests)).toEqual([args]);
    expect(JSON.parse(textOf(last))).toEqual({ result: answer });
  });

  test("O025 B097 what the client does not declare is refused to the server at once", async () => {
    await using kit = gatewayOver({ s: asker });
    const refused = (method: string, params: object) =>
      call(kit, "ask", { method, params }, { capabilities: { elicitation: {} } });
    for (const [method, params, code] of [
      ["sampling/createMessage", { messages: [], maxTokens: 1 }, -32601],
      ["roots/list", {}, -32601],
      ["elicitation/create", { mode: "url", message: "", url: "https://a.example/" }, -32602],
      ["unknown/method", {}, -32601],
    ] as const)
      expect(JSON.parse(textOf(await refused(method, params))).error.code).toBe(code);
  });

  test("what a server asks of its own hop is not told; what it asks outside of a call is refused", async () => {
    await using kit = gatewayOver({ s: asking });
    const { rounds } = await through(kit, "tools/call", { name: "token" }, () => accept);
    const [asked] = Object.values(rounds[0]!.result.inputRequests) as any[];
    expect(asked.params._meta).toEqual({ a: 1 });
    expect(textOf(await call(kit, "late"))).toBe("answered");
    await Bun.sleep(60);
    expect(textOf(await call(kit, "late"))).toBe("answered");
  });
});

test("over WebSocket a call is parked and resumed as over HTTP", async () => {
  await using kit = gatewayOver({ s: full() });
  const socket = new WebSocket(`${kit.served.url.replace("http", "ws")}/ws`, "mcp");
  const got: any[] = [];
  socket.addEventListener("message", ({ data }) => got.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const meta = { "io.modelcontextprotocol/clientCapabilities": everything };
  const send = (id: number, params: object) =>
    socket.send(
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: enveloped(params, meta) }),
    );
  const params = { name: "ask" };
  send(1, params);
  await waitFor(() => got.length === 1);
  expect(got[0].result.resultType).toBe("input_required");
  send(
    2,
    next(params, got[0], () => accept),
  );
  await waitFor(() => got.length === 2);
  expect(JSON.parse(textOf(got[1]))).toEqual(accept);
  socket.close();
});
