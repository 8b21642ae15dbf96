/**
 * One look at one server that is reached by a URL, for the doctor: it is asked which era it speaks, whatever is
 * remembered, and for its tools. It judges nothing and remembers nothing.
 */
import type { Verdict } from "../client/connect-types.ts";
import { clientInfo } from "../client/declared.ts";
import type { HttpServer } from "../config/types.ts";
import { usableTools } from "../host/call-headers.ts";
import { toListError } from "../host/failure.ts";
import { reach } from "../host/reach.ts";
import type { Examination } from "./doctor-types.ts";
import { listOf } from "./examine-tools.ts";
import type { Examined, ExamineOptions } from "./examine-types.ts";

/** What was found goes into `seen` and is returned; what goes wrong is thrown. @throws HostError */
export async function examineUrl(
  server: HttpServer,
  options: ExamineOptions,
  seen: Examination,
): Promise<Pick<Examined, "client" | "list">> {
  const { answers, env, limits, log, signal, timeoutMs } = options;
  seen.reached = { url: server.url, transport: server.transport };
  const startTimeoutMs = timeoutMs ?? server.startTimeoutMs;
  let learned: Verdict | undefined;
  const context = {
    env,
    limits,
    log,
    linked: () => {},
    keep: () => {},
    verdicts: {
      read: async () => undefined,
      write: async (_key: string, verdict: Verdict) => void (learned = verdict),
    },
  };
  const common = {
    ...limits,
    name: server.name,
    clientInfo,
    answers,
    log,
    signal,
    protocol: server.protocol,
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
  };
  const began = performance.now();
  await using client = await reach(server, { context, common, forget: true });
  seen.startMs = performance.now() - began;
  const { era, revision, serverInfo, verdict } = client;
  if (server.transport === "auto") seen.reached.transport = learned?.transport ?? "http";
  Object.assign(seen, { era, revision, ...(serverInfo && { serverInfo }) });
  const list = await listOf(client, server.name, options);
  const { failure, ...tools } = usableTools(list, client, server);
  if (failure) seen.error = toListError(failure, server.name);
  return { client: { verdict: learned ?? verdict }, list: tools };
}
