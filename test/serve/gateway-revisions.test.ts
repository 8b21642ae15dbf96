/** What old revisions do not know is left out of what the gateway gives their clients. */
import { describe, expect, test } from "bun:test";

import { type Knowledge, knowledgeOf } from "../../lib/protocol/revisions.ts";
import { ownText, resultText } from "../../lib/serve/gateway-results.ts";
import { answerTo, gatewayOver, modernInit, session, told } from "./gateway-kit.ts";
import { object } from "./rest-kit.ts";

const knows = (revision: string) => knowledgeOf(revision) as Knowledge;

const answer = (result: object) => ({ result: result as never, raw: JSON.stringify(result) });

const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };

const link = { type: "resource_link", uri: "note://one", name: "one" };

const shown = (revision: string, result: object) =>
  JSON.parse(resultText(answer(result), knows(revision))) as { content: unknown[] };

describe("what old revisions do not know is left out", () => {
  const rich = {
    name: "rich",
    title: "Rich",
    icons: [{ src: "data:image/png;base64,AAAA" }],
    annotations: { readOnlyHint: true },
    inputSchema: {},
    outputSchema: { type: "array" },
    execution: { taskSupport: "optional" },
    _meta: { "example.org/x": 1 },
    futureField: 1,
  };

  test.each([
    ["2024-11-05", ["_meta", "futureField", "inputSchema", "name"]],
    ["2025-03-26", ["_meta", "annotations", "futureField", "inputSchema", "name"]],
    ["2025-06-18", ["_meta", "annotations", "futureField", "inputSchema", "name", "title"]],
    [
      "2025-11-25",
      ["_meta", "annotations", "execution", "futureField", "icons", "inputSchema", "name", "title"],
    ],
  ])("of a tool for %s", async (revision, keys) => {
    await using kit = gatewayOver({ s: { tools: [rich] } });
    const one = await session(kit, { revision });
    const result = answerTo(await told(await one.request("tools/list")))?.result;
    expect(Object.keys(result)).toEqual(["tools"]);
    const [tool] = result.tools;
    expect(Object.keys(tool).toSorted()).toEqual(keys);
    expect(tool.inputSchema).toEqual(object);
  });

  test("of a tool for 2026-07-28 nothing is, and what must be there is", async () => {
    await using kit = gatewayOver({ s: { tools: [rich] } });
    const result = (await told(await kit.ask("/mcp", modernInit("tools/list"))))[0]?.result;
    expect(result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
    expect(result.tools[0]).toMatchObject({ outputSchema: { type: "array" }, icons: rich.icons });
  });

  test("of content, structured content and modern fields", () => {
    const content = [{ type: "text", text: "t" }, audio, link];
    expect(
      shown("2024-11-05", { content }).content.map((block) => (block as { type: string }).type),
    ).toEqual(["text", "text", "text"]);
    expect(shown("2025-03-26", { content }).content[1]).toEqual(audio);
    expect(shown("2025-03-26", { content }).content[2]).toEqual({
      type: "text",
      text: "note://one",
    });
    expect(shown("2025-06-18", { content }).content[2]).toEqual(link);
    const structuredContent = [1];
    expect(shown("2025-11-25", { content, structuredContent })).toEqual({ content });
    // Unless nothing would be left of it.
    expect(shown("2025-03-26", { content: [], structuredContent: {} })).toEqual({
      content: [{ type: "text", text: "{}" }],
    });
    expect(shown("2026-07-28", { content, structuredContent })).toMatchObject({
      structuredContent,
      resultType: "complete",
    });
    expect(
      shown("2025-11-25", { content, resultType: "complete", ttlMs: 5, cacheScope: "public" }),
    ).toEqual({ content });
  });

  test("what needs no change keeps its bytes", () => {
    const raw = '{ "content" : [],\n "n": 1.50, "big": 12345678901234567890 }';
    const kept = { result: JSON.parse(raw), raw };
    expect(resultText(kept, knows("2025-11-25"))).toBe(raw);
    const modern = resultText(kept, knows("2026-07-28"));
    expect(modern.endsWith(raw.slice(1))).toBe(true);
    expect(JSON.parse(modern)).toMatchObject({ resultType: "complete", n: 1.5 });
    expect(JSON.parse(resultText(answer({}), knows("2026-07-28")))).toMatchObject({
      resultType: "complete",
    });
    expect(resultText(answer({}), knows("2024-11-05"))).toBe("{}");
    expect(ownText({}, knows("2025-11-25"))).toBe("{}");
  });

  test("a revision that nobody knows has no knowledge", () => {
    expect(knowledgeOf("2099-01-01")).toBeUndefined();
    expect(knowledgeOf("toString")).toBeUndefined();
  });
});
