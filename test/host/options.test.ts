/** What a module's user may get wrong: nothing is passed over, nothing ends the process. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { createHost } from "../../lib/host/create.ts";
import type { HostOptions } from "../../lib/host/option-types.ts";
import { bunAlone, root } from "../harness.ts";
import { hostOver, textOf, tools } from "./kit.ts";

const server = (fields: object) => ({ servers: { s: { command: "true", ...fields } } });
const remote = (fields: object) => ({ servers: { s: { url: "http://localhost/", ...fields } } });
const rule = (...policy: unknown[]) => ({ servers: {}, policy });

test.each([
  [undefined, "", "an object", "nothing"],
  [{}, "servers", "a value", "nothing"],
  [{ servrs: {} }, "servrs", "no such key", "an object"],
  [{ servers: [] }, "servers", "an object", "an array"],
  [{ servers: { constructor: { command: 1 } } }, "servers", /without/, "an object"],
  [{ servers: JSON.parse('{"__proto__": {"command": 1}}') }, "servers", /without/, "an object"],
  [{ servers: { s: null } }, "servers.s", "an object", "null"],
  [{ servers: { s: {} } }, "servers.s.command", "a value", "nothing"],
  [server({ command: "" }), "servers.s.command", "a command", "a string"],
  [server({ command: ["true"] }), "servers.s.command", "a string", "an array"],
  [server({ args: "x" }), "servers.s.args", "an array of strings", "a string"],
  [server({ args: ["x", 1] }), "servers.s.args[1]", "a string", "a number"],
  [server({ env: ["A=1"] }), "servers.s.env", "an object", "an array"],
  [server({ env: { A: 1 } }), "servers.s.env.A", "a string or null", "a number"],
  [server({ allowedTools: "t" }), "servers.s.allowedTools", "an array of strings", "a string"],
  [server({ allowedTool: ["t"] }), "servers.s.allowedTool", "no such key", "an array"],
  [server({ deniedTools: [/x/] }), "servers.s.deniedTools[0]", "a string", "an object"],
  [server({ timeoutMs: -1 }), "servers.s.timeoutMs", /0 or more/, "a number"],
  [server({ timeoutMs: Number.NaN }), "servers.s.timeoutMs", /milliseconds/, "NaN"],
  [server({ stopMs: "2s" }), "servers.s.stopMs", /milliseconds/, "a string"],
  [server({ concurrency: 0 }), "servers.s.concurrency", /1 or more/, "a number"],
  [server({ lifecycle: "eagr" }), "servers.s.lifecycle", /lazy, eager/, '"eagr"'],
  [server({ rename: [] }), "servers.s.rename", "an object", "an array"],
  [server({ url: "http://localhost/" }), "servers.s", "either a command or a url", "both"],
  [server({ headers: {} }), "servers.s.headers", "no such key", "an object"],
  [remote({ url: 7 }), "servers.s.url", /a URL/, "a number"],
  [remote({ url: "localhost:1" }), "servers.s.url", /http:\/\/, https/, '"localhost:1"'],
  [remote({ url: "file:///etc/passwd" }), "servers.s.url", /a URL/, '"file:///etc/passwd"'],
  [remote({ url: "me:pw@x/a?token=b" }), "servers.s.url", /a URL/, '"…@x/a?…"'],
  [remote({ url: "htp://me:p?w@x#b" }), "servers.s.url", /a URL/, '"htp://…@x?…"'],
  [remote({ args: [] }), "servers.s.args", "no such key", "an array"],
  [remote({ transport: "htp" }), "servers.s.transport", /auto, http/, '"htp"'],
  [remote({ headers: { A: 1 } }), "servers.s.headers.A", "a string", "a number"],
  [remote({ tls: { insecur: true } }), "servers.s.tls.insecur", "no such key", "true"],
  [remote({ tls: { insecure: "yes" } }), "servers.s.tls.insecure", "true or false", "a string"],
  [{ servers: {}, policy: {} }, "policy", "an array of rules", "an object"],
  [{ servers: {}, polices: [] }, "polices", "no such key", "an array"],
  [rule("deny"), "policy[0]", "an object", "a string"],
  [rule({ tools: "*" }), "policy[0].do", "a value", "nothing"],
  [rule({ do: "allow" }, { do: "denied" }), "policy[1].do", /allow, deny, ask/, '"denied"'],
  [rule({ tool: "*", do: "deny" }), "policy[0].tool", "no such key", "a string"],
  [rule({ tools: ["*"], do: "deny" }), "policy[0].tools", "a string", "an array"],
  [rule({ arguments: ["x"], do: "deny" }), "policy[0].arguments", "an object", "an array"],
  [rule({ answers: "yes", do: "allow" }), "policy[0].answers", "true or false", "a string"],
  [{ servers: {}, env: [] }, "env", "an object", "an array"],
  [{ servers: {}, log: {} }, "log", "a function", "an object"],
  [{ servers: {}, signal: {} }, "signal", "an AbortSignal", "an object"],
  [{ servers: {}, limits: { pagesMax: Number.NaN } }, "limits.pagesMax", /whole/, "NaN"],
  [{ servers: {}, answers: { elicit: 1 } }, "answers.elicit", "a function", "a number"],
] as [unknown, string, string | RegExp, string][])(
  "createHost(%j) is refused at %p",
  async (options, path, expected, found) => {
    const error = await createHost(options as HostOptions).then(
      () => undefined,
      (refusal: unknown) => refusal,
    );
    expect(error).toMatchObject({ code: "usage", facts: { path, found } });
    const { facts, message } = error as { facts: { expected: string }; message: string };
    expect(facts.expected).toMatch(expected);
    expect(message).toStartWith(`createHost: ${path}`);
  },
);

test.each([
  [{ answers: { elicitURL: async () => ({ action: "decline" }) } }, "elicitUrl"],
  [{ limits: { pageMax: (pages: number) => pages } }, "pagesMax"],
])(
  "%j: a key that nobody knows, with the nearest one and the kind of its value",
  async (options, near) => {
    const error = createHost({ servers: {}, ...options } as unknown as HostOptions);
    await expect(error).rejects.toMatchObject({
      message: expect.stringContaining("expected no such key, found a function"),
      hint: expect.stringContaining(near),
    });
  },
);

test("what is right is taken, and undefined is as if it were not there", async () => {
  const policy = [{ tools: "x", do: "deny", answers: undefined, origin: undefined }];
  const fields = { args: undefined, env: { A: null }, timeoutMs: Infinity, protocol: undefined };
  await using host = await createHost({
    ...server(fields),
    policy,
    env: { A: undefined },
    log: undefined,
  } as unknown as HostOptions);
  expect(host.servers()).toMatchObject([{ name: "s", state: "idle" }]);
});

test.each([
  [undefined, ""],
  [null, ""],
  ["t", ""],
  [{}, "tool"],
  [{ tool: 1 }, "tool"],
  [{ tool: "t", arguments: [] }, "arguments"],
  [{ tool: "t", timeoutMs: Number.NaN }, "timeoutMs"],
  [{ tool: "t", timeoutMs: -1 }, "timeoutMs"],
  [{ tool: "t", actor: "robot" }, "actor"],
  [{ tool: "t", onProgress: 1 }, "onProgress"],
  [{ tool: "t", detach: "yes" }, "detach"],
  [{ tool: "t", args: {} }, "args"],
])("host.call(%j) is a failed outcome", async (request, path) => {
  await using host = await createHost({ servers: {} });
  const outcome = await host.call(request as never);
  expect(outcome).toMatchObject({ status: "failed", sent: false, error: { code: "usage" } });
  if (outcome.status === "failed") expect(outcome.error?.facts).toMatchObject({ path });
});

const onUpdate = () => {};

test.each([
  ["subscribe", undefined, "onUpdate"],
  ["subscribe", { lists: ["tools"] }, "onUpdate"],
  ["subscribe", { onUpdate, lists: ["tool"] }, "lists"],
  ["subscribe", { onUpdate, uris: "x:y" }, "uris"],
  ["subscribe", { onUpdate, server: 1 }, "server"],
  ["subscribe", { onUpdate, onOpen: true }, "onOpen"],
  ["subscribe", { onUpdate, tools: true }, "tools"],
  ["resources", { server: "s" }, "server"],
  ["read", { url: "x:y" }, "uri"],
  ["read", { uri: "x:y", url: "x:y" }, "url"],
  ["prompt", { prompt: "p", args: {} }, "args"],
] as const)("host.%s(%j) rejects with usage", async (method, request, path) => {
  await using host = await createHost({ servers: { s: { command: "true" } } });
  const ask = host[method] as (request: unknown) => Promise<unknown>;
  const error = await ask(request).then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  expect(error).toMatchObject({ code: "usage", facts: { path } });
  expect(host.servers()).toMatchObject([{ state: "idle" }]);
});

test("a subscription to nothing is refused", async () => {
  await using host = await createHost({ servers: { s: { command: "true" } } });
  const asked = host.subscribe({ onUpdate, lists: [] });
  expect(await asked.catch((error: unknown) => error)).toMatchObject({
    code: "usage",
    message: "subscribe needs lists or uris to hear of",
  });
});

test("a key that nobody knows is told with the nearest", async () => {
  await using host = await createHost({ servers: {} });
  const outcome = await host.call({ tool: "t", argumets: {} } as never);
  if (outcome.status !== "failed") throw new Error(outcome.status);
  expect(outcome.error).toMatchObject({
    message: "host.call: argumets: expected no such key, found an object",
    hint: "did you mean arguments?",
  });
});

const throws = () => {
  throw new Error("mine");
};

test("a log that throws fails nothing", async () => {
  await using host = await hostOver({ s: { tools: tools("env") } }, { log: throws });
  expect(textOf(await host.call({ tool: "env" }))).toStartWith("{");
});

test("an onProgress and a log that reject are no unhandled rejection", async () => {
  const [command, ...args] = [...bunAlone, join(root, "test/fixtures/break/hostile.ts"), "evil"];
  const script = `import { createHost } from ${JSON.stringify(join(root, "mcphost.ts"))};
    const texts = [];
    const reject = async () => { throw new Error("mine"); };
    const log = (entry) => { texts.push(entry.text); return reject(); };
    await using host = await createHost({ servers: ${JSON.stringify({ h: { command, args } })}, log });
    const outcome = await host.call({ tool: "t", onProgress: reject });
    console.log(outcome.status, texts.filter((text) => text.includes("onProgress failed")).length);`;
  const proc = Bun.spawn([...bunAlone, "-e", script], { stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([proc.stdout.text(), proc.stderr.text(), proc.exited]);
  expect({ out, err, code }).toEqual({ out: "completed 1\n", err: "", code: 0 });
});
