/** What other programs may import: a name that comes or goes is seen here. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { ownExports } from "../lib/cli/plugin-modules.ts";
import { root } from "./harness.ts";

test("the module's public names", async () => {
  const module = await import(join(root, "mcphost.ts"));
  expect(Object.keys(module).toSorted()).toEqual(["createHost", "definePlugin", "isHostError"]);
});

test("a plugin's import of the module gives the same names", () => {
  expect(Object.keys(ownExports).toSorted()).toEqual(["createHost", "definePlugin", "isHostError"]);
});

test("the module's public types", async () => {
  const text = await Bun.file(join(root, "mcphost.ts")).text();
  const types = [...text.matchAll(/^export type \{([^}]*)\}/gm)].flatMap(([, names]) =>
    names!.split(",").map((name) => name.trim()),
  );
  expect(types.filter((name) => name !== "").toSorted()).toEqual(
    (
      "Actor Answerer Answers Approval Asked BeforeCall CallRequest CompleteRequest CompletionValues ErrorCode Facts Hooks " +
      "Host HostAnswer HostError HostEvent HostOptions HostPrompt HostResource HostServer HostTask HostTemplate HostTool " +
      "Json JsonObject Limits ListRequest Log LogEntry OfferedTool Outcome OutputProblem Plugin PluginCall PluginFrame " +
      "PluginHost PluginServer PluginTool PolicyRule Progress PromptListing PromptRequest Question ReadRequest " +
      "ResourceListing RunContext ServerEnd ServerRequest ServerStatus ServerUpdate Session SetupContext SubscribeRequest " +
      "Task ToolAnnotations ToolListing ToolResult"
    ).split(" "),
  );
});
