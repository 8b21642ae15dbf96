/**
 * The home format as valibot schemas: what a config file may hold, each message saying what was expected. Read configs
 * are checked by them, and editors get the same as JSON Schema. Loaded only when a config is read.
 */
import * as v from "valibot";

import { legacyRevisions, modernRevisions } from "../protocol/codecs.ts";
import { linkKinds } from "./links.ts";

/** An optional key, with words for editors. */
const key = <const S extends v.GenericSchema>(schema: S, words: string) =>
  v.optional(v.pipe(schema, v.description<v.InferOutput<S>, string>(words)));

const text = v.string("a string");
const texts = v.array(text, "an array of strings");
const textMap = v.record(text, text, "an object of strings");
const flag = v.boolean("true or false");
const ms = v.pipe(
  v.number("a number of milliseconds"),
  v.minValue(0, "a number of milliseconds, 0 or more"),
);
const count = v.pipe(
  v.number("a whole number"),
  v.integer("a whole number"),
  v.minValue(1, "a whole number, 1 or more"),
);
const whole = v.pipe(
  v.number("a whole number"),
  v.integer("a whole number"),
  v.minValue(0, "a whole number, 0 or more"),
);
const choice = <const T extends string[]>(words: T) =>
  v.picklist(words, `one of ${words.join(", ")}`);

const envValue = v.union([text, v.number(), flag], "a string, number, true, false or null");
const protocols = ["auto", "legacy", "modern", ...legacyRevisions, ...modernRevisions];

export const tlsEntries = {
  ca: key(text, "PEM file of the authorities to trust instead of the usual ones."),
  cert: key(text, "PEM file of our certificate, for a server that asks for one."),
  key: key(text, "PEM file of its key."),
  passphrase: key(text, "Of an encrypted key."),
  insecure: key(flag, "Take any certificate; warned of each time. Default false."),
};

/** The keys of a server, under our own names; all optional, since which are needed depends on its kind. */
const serverEntries = {
  command: key(
    v.union([text, texts], "a string, or an array of strings"),
    "The program of a server that is started, or program and arguments.",
  ),
  args: key(texts, "Arguments of the command."),
  env: key(
    v.record(text, v.nullable(envValue), "an object"),
    "Environment of the server, over a small base; null unsets a variable.",
  ),
  envFile: key(text, "A dotenv file; env wins over it."),
  cwd: key(text, "Working folder, seen from the folder of this file."),
  inheritEnv: key(flag, "Hand on our whole environment."),
  url: key(text, "Address of a server that is reached, not started."),
  type: key(choice([...linkKinds.keys()]), "How to reach the server. Default: by command or url."),
  headers: key(textMap, "HTTP headers of every request."),
  tls: key(v.looseObject(tlsEntries, "an object"), "Certificates, for a server of https or wss."),
  protocol: key(choice(protocols), "Which era or revision to speak. Default auto: probe."),
  timeoutMs: key(ms, "Idle time of a call, renewed by progress. Default 60000."),
  startTimeoutMs: key(
    ms,
    "Time for the handshake. Default 60000; for a url, timeoutMs where that is less.",
  ),
  stopMs: key(ms, "Wait on each rung of a stop: end of input, then TERM. Default 2000."),
  concurrency: key(count, "Calls in flight at a time. Default 64."),
  queueMax: key(
    whole,
    "Calls that may wait for their turn. Default 256 in serve and gateway, else any.",
  ),
  queueMs: key(ms, "Longest wait for a turn. Default 30000 in serve and gateway, else any."),
  lifecycle: key(choice(["lazy", "eager", "per-call"]), "When to start. Default lazy."),
  share: key(choice(["all", "client", "call"]), "Who has a process in common. Default: by need."),
  idleMs: key(ms, "Stop after this time without calls; 0 never."),
  restart: key(flag, "Start again after a crash. Default true."),
  prefix: key(text, 'Prefix of exposed tool names. Default "<server>_".'),
  allowedTools: key(texts, "Globs of the tools to offer; an empty list offers none."),
  deniedTools: key(texts, "Globs of tools that are not offered; wins over allowedTools."),
  rename: key(textMap, "From the server's own name of a tool to its exposed name."),
  approval: key(choice(["policy", "always", "never"]), "Whether calls are asked about."),
  toolsWithoutApproval: key(texts, "Globs of tools that are never asked about."),
  disabled: key(flag, "Keep the entry, but do not use it."),
  roots: key(texts, "Folders that the server is told about."),
};

export const Server = v.looseObject(serverEntries, "an object");

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
  hookTimeoutMs: key(count, "Time of each hook of a plugin. Default 5000."),
  approvalTimeoutMs: key(count, "Longest wait for an approval. Default 600000."),
};

export const LimitsSchema = v.looseObject(limitEntries, "an object");

const port = v.pipe(
  v.number("a port"),
  v.integer("a port"),
  v.minValue(0, "a port, from 0 to 65535"),
  v.maxValue(65_535, "a port, from 0 to 65535"),
);

const origin = v.pipe(
  text,
  v.regex(
    /^https?:\/\/(\[[\da-fA-F:.]+\]|[^\s/?#@:[\]]+)(:\d{1,5})?\/?$/,
    "an origin such as https://example.com",
  ),
);
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
  publicUrl: key(origin, "Where others reach us, where that is another address."),
  page: key(flag, "Whether there is a page. No effect yet."),
};

export const ServeSchema = v.strictObject(serveEntries, "an object");

export const StoreSchema = v.pipe(text, v.nonEmpty("a file, or a postgres:// address"));

export const auditEntries = {
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
