/** Resources, prompts and completion of a host over real processes of the fixture server, in both eras. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import type { HostError } from "../../lib/base/errors.ts";
import { createHost } from "../../lib/host/create.ts";
import type { HostOptions } from "../../lib/host/option-types.ts";
import type { Host } from "../../lib/host/types.ts";

const program = join(import.meta.dir, "../fixtures/remote/stdio.ts");

/** A host over fixture servers: name → era. */
async function over(
  servers: Record<string, string>,
  options: Partial<HostOptions> = {},
): Promise<Host> {
  const entries = Object.entries(servers).map(([name, era]) => {
    const server = { command: process.execPath, args: [program, era], stopMs: 300 };
    return [name, server] as const;
  });
  return await createHost({ servers: Object.fromEntries(entries), env: process.env, ...options });
}

async function errorOf(work: Promise<unknown>): Promise<HostError> {
  return await work.then(
    (value) => Promise.reject(new Error(`no error, but ${JSON.stringify(value)}`)),
    (error: HostError) => error,
  );
}

const elicit = async () => ({ action: "accept", content: { name: "Ada" } });

describe.each([["legacy"], ["modern"]])("%s", (era) => {
  test("lists, reads, fills in and completes", async () => {
    await using host = await over({ one: era });
    const { resources, templates, failed, warnings } = await host.resources();
    expect([failed, warnings]).toEqual([[], []]);
    expect(resources.map(({ server, uri }) => `${server} ${uri}`)).toEqual([
      "one note://one",
      "one note://two",
      "one note://three",
      "one blob://pixel",
      "one asks://name",
    ]);
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "note://{name}",
      "count://{from}/{to}",
    ]);
    const read = await host.read({ uri: "note://one" });
    expect(read.server).toBe("one");
    expect(JSON.parse(read.raw)).toEqual(read.result);
    expect(read.result["contents"]).toEqual([
      { uri: "note://one", mimeType: "text/plain", text: "first" },
    ]);
    const { prompts } = await host.prompts();
    expect(prompts.map(({ name }) => name)).toEqual(["greet", "plain", "rich", "asks"]);
    const filled = await host.prompt({ prompt: "greet", arguments: { name: "Ada", odd: "1" } });
    expect(filled.result["messages"]).toEqual([
      { role: "user", content: { type: "text", text: "Greet Ada." } },
    ]);
    expect(filled.warnings).toEqual(['the prompt names no argument "odd"']);
    const argument = { name: "name", value: "A" };
    expect((await host.complete({ ref: { prompt: "greet" }, argument })).values).toEqual([
      "Ada",
      "Alan",
    ]);
    const ref = { template: "count://{from}/{to}" };
    const many = await host.complete({ ref, argument: { name: "to", value: "" } });
    expect([many.values.length, many.total, many.hasMore]).toEqual([100, 250, true]);
  });

  test("errors say what is wrong before or after it was asked", async () => {
    await using host = await over({ one: era });
    const missing = await errorOf(host.prompt({ prompt: "greet" }));
    expect([missing.code, missing.hint]).toEqual(["usage", "greet(name, style?)"]);
    const unknown = await errorOf(host.prompt({ prompt: "great" }));
    expect([unknown.code, unknown.facts["nearest"]]).toEqual(["usage", ["greet"]]);
    const nowhere = await errorOf(host.read({ uri: "note://for" }));
    expect(nowhere.code).toBe("rpc_error");
    expect(nowhere.facts.rpcCode).toBe(era === "modern" ? -32602 : -32002);
    expect(nowhere.facts["nearest"]).toContain("note://two");
  });

  test("input rounds, and requests of the server, are answered for reads and prompts", async () => {
    await using host = await over({ one: era }, { answers: { elicit } });
    const read = await host.read({ uri: "asks://name" });
    expect(JSON.stringify(read.result)).toContain("Ada");
    const prompt = await host.prompt({ prompt: "asks" });
    expect(JSON.stringify(prompt.result)).toContain("Ada");
  });
});

describe("several servers", () => {
  test("a URI of one is read there; of several from none, unless the server is named", async () => {
    await using host = await over({ one: "legacy", two: "modern" });
    const several = await errorOf(host.read({ uri: "note://one" }));
    expect([several.code, several.facts["candidates"]]).toEqual([
      "usage",
      ["one/note://one", "two/note://one"],
    ]);
    expect((await host.read({ uri: "two/note://one" })).server).toBe("two");
    expect((await errorOf(host.read({ uri: "http://x" }))).code).toBe("usage");
    // What is no URI may be some server's all the same.
    expect((await errorOf(host.read({ uri: "two/name" }))).facts).toMatchObject({
      server: "two",
      uri: "name",
    });
  });

  test("prompts have names of their own, as tools do, and unknown servers are named", async () => {
    await using host = await over({ "a b": "legacy", two: "modern" });
    const { prompts, warnings } = await host.prompts();
    expect(prompts.map(({ name }) => name)).toContain("a_b_greet");
    expect(warnings).toContainEqual({
      server: "a b",
      text: 'prompt "greet" is a_b_greet here',
    });
    const several = await errorOf(host.prompt({ prompt: "plain" }));
    expect(several.facts["candidates"]).toEqual(["a b/plain", "two/plain"]);
    expect((await host.prompt({ prompt: "two.plain" })).server).toBe("two");
    const { failed } = await host.prompts({ servers: ["tow"] });
    expect(failed[0]?.error.facts["nearest"]).toEqual(["two"]);
  });

  test("one that cannot start takes nobody down", async () => {
    const good = { command: process.execPath, args: [program, "modern"], stopMs: 300 };
    await using host = await createHost({
      servers: { good, bad: { command: "/nowhere/at-all" } },
      env: process.env,
    });
    const { resources, failed } = await host.resources();
    expect(resources).toHaveLength(5);
    expect(failed.map(({ server, error }) => [server, error.code])).toEqual([
      ["bad", "server_start"],
    ]);
    expect((await host.prompt({ prompt: "good_plain" })).server).toBe("good");
    // It might be the bad one's: that is what is wrong.
    expect((await errorOf(host.prompt({ prompt: "bad_plain" }))).code).toBe("server_start");
    expect((await errorOf(host.prompt({ prompt: "other" }))).code).toBe("server_start");
  });

  test("one that cannot start does not hide that the others lack it", async () => {
    const good = { command: process.execPath, args: [program, "modern"], stopMs: 300 };
    const servers = { good, bad: { command: "/nowhere/at-all" } };
    await using host = await createHost({ servers, env: process.env });
    for (const [asked, text, near] of [
      [() => host.read({ uri: "asks://nam" }), 'no server lists "asks://nam"', "asks://name"],
      [() => host.prompt({ prompt: "gret" }), 'no prompt is called "gret"', "good_greet"],
    ] as const) {
      const { code, message, hint, facts } = await errorOf(asked());
      expect(code).toBe("server_start");
      expect(message).toStartWith(`${text}, and not all could be asked: server "bad" `);
      expect(facts).toMatchObject({ server: "bad" });
      expect(hint).toStartWith(`did you mean ${near}?; `);
    }
  });
});

test("a signal gives up, and the next request works", async () => {
  await using host = await over({ one: "legacy" });
  const signal = AbortSignal.abort(new Error("enough"));
  const error = await errorOf(host.read({ uri: "note://one", signal }));
  expect(error.code).toBe("cancelled");
  expect((await host.read({ uri: "note://one" })).result["contents"]).toHaveLength(1);
});

test("requests that are none are refused, each with what was expected", async () => {
  await using host = await over({ one: "legacy" });
  const asked = host as unknown as Record<string, (request?: unknown) => Promise<unknown>>;
  for (const [method, request, text] of [
    ["read", undefined, "host.read: uri: expected a URI, found nothing"],
    ["read", "note://one", "host.read: expected an object, found a string"],
    [
      "read",
      { uri: "a:1", signal: 1 },
      "host.read: signal: expected an AbortSignal, found a number",
    ],
    [
      "prompt",
      { prompt: "" },
      "host.prompt: prompt: expected the name of a prompt, found a string",
    ],
    [
      "prompt",
      { prompt: "greet", arguments: { name: 5 } },
      "host.prompt: arguments: expected an object whose values are strings, found an object",
    ],
    ["prompts", { servers: "one" }, "host.prompts: servers: expected an array of names of servers"],
    ["complete", { ref: {} }, 'host.complete: ref: expected an object { prompt: "…" }'],
    [
      "complete",
      { ref: { prompt: "greet" }, argument: { name: "name" } },
      'host.complete: argument: expected an object { name: "…", value: "…" }',
    ],
  ] as const) {
    const error = await errorOf(asked[method]!(request));
    expect([error.code, error.message.startsWith(text) || error.message]).toEqual(["usage", true]);
  }
  expect((await host.prompts(undefined)).prompts).toHaveLength(4);
});
