/** What the tests of eras over HTTP share: servers of both eras, and answers to the probe. */
import { expect } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { McpClient } from "../../lib/client/types.ts";
import type { Asked, Exchange } from "./http-kit.ts";
import { text, tool, unknownMethod } from "./kit.ts";

/** The modern revision. */
export const revision = "2026-07-28";

const discovered: Exchange = {
  result: {
    resultType: "complete",
    supportedVersions: [revision],
    capabilities: { tools: {}, prompts: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "2.0" } },
  },
};

/** The refusal of a revision, with those that are supported. */
export const unsupported = (...supported: string[]): Exchange => ({
  error: { code: -32022, message: "not that version", data: { supported } },
});

/** A modern server. */
export function modern({ method }: Asked): Exchange {
  if (method === "server/discover") return discovered;
  if (method === "tools/list") return { result: { resultType: "complete", tools: [tool("one")] } };
  if (method === "tools/call") return { result: { resultType: "complete", ...text("done") } };
  return method === "initialize" ? unsupported(revision) : { error: unknownMethod };
}

/** A legacy server. */
export function legacy({ method, params }: Asked): Exchange {
  const { protocolVersion } = params;
  if (method === "initialize")
    return {
      result: {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "scripted", version: "1.0" },
      },
    };
  if (method === "tools/list") return { result: { tools: [tool("one")] } };
  return method === "tools/call" ? { result: text("done") } : { error: unknownMethod };
}

/** The server answers the probe as told, and everything else as the script. */
export function probed(answers: Exchange[], rest = legacy): (asked: Asked) => Exchange {
  const left = [...answers];
  return (asked) =>
    asked.method === "server/discover" ? (left.shift() ?? modern(asked)) : rest(asked);
}

/** What connecting was refused with. */
export async function failureOf(connecting: Promise<McpClient>): Promise<HostError> {
  const error = await connecting.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeDefined();
  return error as HostError;
}

/** What a legacy server gets. */
export const handshake = ["server/discover", "initialize", "notifications/initialized"];
