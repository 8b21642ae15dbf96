/** One server of the home format: its keys, with words for editors. Which of them are needed is checked elsewhere. */
import * as v from "valibot";

import { legacyRevisions, modernRevisions } from "../protocol/codecs.ts";
import { linkKinds } from "./links.ts";
import { choice, count, flag, key, ms, text, textMap, texts, whole } from "./schema-values.ts";

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
export const serverEntries = {
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
  timeoutMs: key(ms, "Idle time of a call, renewed by progress; 0: no limit. Default 60000."),
  startTimeoutMs: key(
    ms,
    "Time for the handshake; 0: no limit. Default 60000; for a url, timeoutMs where that is less.",
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
