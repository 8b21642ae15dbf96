/** Reported faults of agreeing on the version of a server. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { echo, echoOf } from "./eras-kit.ts";
import { config, entry, faulty } from "./kit.ts";

setDefaultTimeout(30_000);

/** A message with `ID` for the id. */
const refusal = (error: object) =>
  JSON.stringify({ jsonrpc: "2.0", id: "ID", error }).replace('"ID"', "ID");

describe.concurrent("B016 a version that is refused by an error", () => {
  const best = "2025-06-18";
  test.each<[string, object, string]>([
    [
      "data.supported",
      {
        code: -32602,
        message: "Unsupported protocol version",
        data: { supported: [best, "2024-11-05"], requested: "2025-11-25" },
      },
      best,
    ],
    ["data.expected", { code: -32602, message: "bad version", data: { expected: best } }, best],
    [
      "data.supportedVersions",
      { code: -32602, message: "bad", data: { supportedVersions: ["2024-11-05"] } },
      "2024-11-05",
    ],
    [
      "data as text",
      { code: -32602, message: "bad", data: `supported versions: ${best}, 2024-11-05` },
      best,
    ],
    [
      "the message",
      {
        code: -32602,
        message:
          "Unsupported protocol version: 2025-11-25 - supported versions: 2025-06-18, 2025-03-26",
      },
      best,
    ],
    [
      "-32000 and the message",
      {
        code: -32000,
        message:
          "Bad Request: Unsupported protocol version (supported versions: 2025-03-26, 2024-11-05)",
      },
      "2025-03-26",
    ],
    [
      "no version at all: the next older one",
      { code: -32602, message: "Unsupported protocol version" },
      best,
    ],
    ["-32022 without a list", { code: -32022, message: "no" }, best],
  ])("listed in %s: one retry", async (_, error, version) => {
    const { run, messages } = await echoOf(faulty("eras.refuses-version", refusal(error), version));
    expectRun(run, echo);
    const asked = messages.filter(({ method }) => method === "initialize");
    expect(asked.map(({ params }) => params.protocolVersion)).toEqual(["2025-11-25", version]);
  });

  test("an old one that names none is found by going back", async () => {
    const error = refusal({ code: -32602, message: "Unsupported protocol version" });
    const { run, messages } = await echoOf(faulty("eras.refuses-version", error, "2024-11-05"));
    expectRun(run, echo);
    const asked = messages.filter(({ method }) => method === "initialize");
    expect(asked.map(({ params }) => params.protocolVersion)).toEqual([
      "2025-11-25",
      "2025-06-18",
      "2025-03-26",
      "2024-11-05",
    ]);
  });

  test("when that is refused too, the server's own words are shown, after one retry", async () => {
    const error = { code: -32602, message: "only on Sundays", data: { supported: [best] } };
    const { run, methods } = await echoOf(faulty("eras.refuses-version", refusal(error), "never"));
    expectRun(run, { code: 3, stderr: /server "server".*only on Sundays/s });
    expect(methods.filter((method) => method === "initialize")).toHaveLength(2);
  });
});

describe.concurrent("B017 a version that is only echoed", () => {
  test.each(["2025-11-25", "2026-07-28", "2024-11-05", "2024-10-07"])("%s", async (version) => {
    const server = faulty("eras.echoes-version", version);
    const { run, methods } = await echoOf(server);
    expectRun(run, echo);
    expect(methods).toContain("notifications/initialized");
    const json = await mcphost("call", "fault", "--json", "--", ...server).run();
    expectRun(json, { stdout: '{"content":[{"type":"text","text":"right"}]}\n' });
    const check = await mcphost(
      "servers",
      "--check",
      "--json",
      ...config({ s: entry("eras.echoes-version", {}, version) }),
    ).run();
    expect(JSON.parse(check.stdout)).toMatchObject([{ era: "legacy", state: "ready", tools: 2 }]);
  });
});
