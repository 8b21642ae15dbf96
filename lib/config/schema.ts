/**
 * The home format as valibot schemas: what a config file may hold, each message saying what was expected. Read configs
 * are checked by them, and editors get the same as JSON Schema. Loaded only when a config is read.
 */
import * as v from "valibot";

import { linkKinds } from "./links.ts";
import { pageOrigin, webOrigin } from "./page-origin.ts";
import { serverEntries } from "./schema-server.ts";
import { choice, count, flag, key, text, texts } from "./schema-values.ts";

const hints = {
  readOnlyHint: v.optional(flag),
  destructiveHint: v.optional(flag),
  idempotentHint: v.optional(flag),
  openWorldHint: v.optional(flag),
};

/** Any other would match nothing, and a rule would let through what it was meant to stop. */
export const pointer = v.pipe(
  text,
  v.regex(/^(\/([^~/]|~[01])*)*$/, "a JSON pointer such as /path, or the empty one"),
);

/** Strict: a misspelt condition would make a rule wider than meant. */
const Rule = v.strictObject(
  {
    tools: key(text, "Glob over tool names."),
    servers: key(text, "Glob over server names."),
    actor: key(choice(["user", "script", "model", "gateway"]), "Who asks."),
    annotations: key(v.strictObject(hints, "an object of hints"), "What the tool says of itself."),
    arguments: key(
      v.record(pointer, text, "an object of strings"),
      "From JSON pointers to globs over the values' text.",
    ),
    do: choice(["allow", "deny", "ask"]),
    reason: key(text, "Shown with the decision."),
  },
  "an object",
);

export const Policy = v.array(Rule, "an array of rules");

const plugin = v.union(
  [v.pipe(text, v.nonEmpty("a file or a package")), v.strictTuple([text, v.unknown()])],
  "a file or a package, or [it, options]",
);

export const Plugins = v.array(plugin, "an array of plugins");

export const limitEntries = {
  lineBytesMax: key(count, "Longest message. Default 67108864."),
  responseBytesMax: key(count, "Longest body of an HTTP response. Default 67108864."),
  connectTimeoutMs: key(count, "Time to reach a server over HTTP at all. Default 10000."),
  pagesMax: key(count, "Pages of a list. Default 1000."),
  toolsMax: key(count, "Tools of a server. Default 20000."),
  roundsMax: key(count, "Input rounds of a call. Default 10."),
  stderrTailBytes: key(count, "Kept of a server's stderr. Default 65536."),
  schemaBytesMax: key(count, "Largest schema of a tool. Default 1048576."),
  probeTimeoutMs: key(count, "Wait for the answer to a probe. Default 1000."),
  hookTimeoutMs: key(count, "Time of each hook of a plugin, and of loading it. Default 5000."),
  approvalTimeoutMs: key(count, "Longest wait for an approval. Default 600000."),
};

export const LimitsSchema = v.looseObject(limitEntries, "an object");

const port = v.pipe(
  v.number("a port"),
  v.integer("a port"),
  v.minValue(0, "a port, from 0 to 65535"),
  v.maxValue(65_535, "a port, from 0 to 65535"),
);

const originNeeded = "an origin such as https://example.com";
const origin = v.pipe(text, v.regex(pageOrigin, originNeeded));
const address = v.pipe(text, v.regex(webOrigin, originNeeded));
const token = v.pipe(text, v.minLength(1, "a token"));

/** Strict: a misspelt condition would let in more than meant. */
export const tokenEntries = {
  name: v.pipe(text, v.minLength(1, "a name")),
  token,
  tools: key(texts, "Globs of the tools that it may see and call. Default all."),
};

export const serveEntries = {
  host: key(text, "Address to listen at; another than loopback needs a token. Default 127.0.0.1."),
  port: key(port, "Port to listen at; 0 is any free one. Default 3003."),
  origins: key(v.array(origin, "an array of origins"), "Origins of pages that may ask."),
  tokens: key(
    v.array(v.strictObject(tokenEntries, "an object with name and token"), "an array of tokens"),
    "With any, each request must carry one of them.",
  ),
  publicUrl: key(address, "Where others reach us, where that is another address."),
  page: key(flag, "Whether there is a page. No effect yet."),
};

export const ServeSchema = v.strictObject(serveEntries, "an object");

export const StoreSchema = v.pipe(text, v.nonEmpty("a file, or a postgres:// address"));

const auditEntries = {
  file: key(text, "Events also go to this file, as JSON lines."),
  stderr: key(flag, "Events also go to stderr, as JSON lines."),
  days: key(count, "How long events are kept. Default 30."),
  eventsMax: key(count, "How many events are kept. Default 500000."),
};

export const AuditSchema = v.union(
  [flag, v.strictObject(auditEntries, "an object")],
  `true, false, or an object of ${Object.keys(auditEntries).join(", ")}`,
);

/** Strict: a misspelt key would show more than meant. */
export const profileEntries = { tools: v.pipe(texts, v.description("Globs of its tools.")) };

export const Profile = v.strictObject(profileEntries, "an object with tools");

/** VS Code's `inputs`; what else it holds is left to VS Code. */
export const Inputs = v.array(
  v.looseObject(
    {
      id: text,
      description: v.optional(text),
      password: v.optional(flag),
      default: v.optional(text),
      options: v.optional(
        v.array(
          v.union(
            [text, v.looseObject({ label: v.optional(text), value: text })],
            "a string, or an object with a value",
          ),
          "an array of options",
        ),
      ),
    },
    "an object",
  ),
  "an array of inputs",
);

const timeout = v.union([v.number(), text]);

/** A whole file of the home format, for editors; `mcpServers` with the synonyms that people write most. */
export const ConfigFile = v.looseObject({
  $schema: v.optional(text),
  mcpServers: key(
    v.record(
      text,
      v.looseObject({
        ...serverEntries,
        transport: key(choice([...linkKinds.keys()]), "The same as type."),
        enabled: key(flag, "The opposite of disabled."),
        timeout: key(timeout, 'timeoutMs in seconds below 1000, or with its unit: "30s".'),
      }),
    ),
    "The servers, by name.",
  ),
  policy: key(Policy, "Who may call what; of the rules that match, the strongest wins."),
  plugins: key(Plugins, "Files or packages, in the order in which they run."),
  limits: key(LimitsSchema, "Bounds on what comes from servers."),
  serve: key(ServeSchema, "How mcphost serve is reached; its flags win over it."),
  store: key(
    StoreSchema,
    "Where approvals, grants and the audit log are kept: a file, or Postgres.",
  ),
  audit: key(AuditSchema, "Every call is written down. Default in serve and gateway alone."),
  profiles: key(
    v.record(text, Profile),
    "Choices of tools that clients of serve and gateway ask for by name.",
  ),
  inputs: key(Inputs, "What ${input:ID} asks for."),
});
