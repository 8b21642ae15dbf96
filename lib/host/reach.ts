/**
 * One connection to one server that is reached by a URL: which transport it speaks, how it is greeted, and what is
 * remembered of both. Knows nothing of earlier or later connections. Loaded when such a server is first used.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { connect } from "../client/client.ts";
import type { ConnectOptions, Verdict } from "../client/connect-types.ts";
import { verdictKey } from "../client/eras.ts";
import type { McpClient } from "../client/types.ts";
import type { HttpServer } from "../config/types.ts";
import { createFetch } from "../transport/fetch.ts";
import { hasCredentials, isSocketUrl } from "../transport/remote.ts";
import type { Fetch } from "../transport/remote.ts";
import type { Transport } from "../transport/transport.ts";
import type { LaunchContext } from "./launch-types.ts";
import { marked } from "./own-link.ts";

export interface ReachOptions {
  context: Pick<
    LaunchContext,
    "asked" | "env" | "keep" | "limits" | "linked" | "log" | "ownLinks" | "verdicts"
  >;
  /** Of the connection, all but what says how the link is opened. */
  common: Omit<ConnectOptions, "open" | "link" | "verdict">;
  /** What is remembered of the server's era is wrong: it is asked again. */
  forget: boolean;
}

/**
 * Connects to a server. Where only a URL is given it is spoken to over Streamable HTTP; HTTP+SSE of 2024-11-05 is tried
 * where that was refused as the specification says (protocol.md 1.4).
 * @throws HostError `server_start` `auth_required` `config` `usage` `cancelled`
 */
export async function reach(server: HttpServer, options: ReachOptions): Promise<McpClient> {
  const { context, common, forget } = options;
  // What a session is gone on with tells nothing new.
  const isNew = server.protocol === "auto" && common.session === undefined;
  const verdicts = isNew ? context.verdicts : undefined;
  const key = verdictKey(server);
  const before = await verdicts?.read(key);
  const verdict = forget ? undefined : before;
  const startedAt = performance.now();
  const attempt = { ...options, common: { ...common, verdict } };
  const { client, transport, owes } = await (context.ownLinks === undefined
    ? connectTo(server, attempt)
    : marked(server, context.ownLinks, (own) => connectTo(own, attempt)));
  context.linked({
    closed: client.closed,
    greetMs: performance.now() - startedAt,
    owes,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  });
  const learned = transport === "sse" ? ofSse(client, before) : client.verdict;
  if (verdicts !== undefined && server.transport !== "sse" && learned !== before)
    context.keep(verdicts.write(key, learned));
  return client;
}

// --- internal ---

type Attempt = Omit<ReachOptions, "common"> & { common: Omit<ConnectOptions, "open"> };

interface Reached {
  client: McpClient;
  transport: Exclude<HttpServer["transport"], "auto">;
  owes: () => boolean;
}

async function connectTo(server: HttpServer, attempt: Attempt): Promise<Reached> {
  const isSocket = server.transport === "ws" || isSocketUrl(server.url);
  if (isSocket) return { client: await overSocket(server, attempt), transport: "ws", owes: always };
  const transport = server.transport as Exclude<HttpServer["transport"], "ws">;
  const { context, common } = attempt;
  const { name, headers, tls } = server;
  const { connectTimeoutMs } = context.limits ?? {};
  const { env, log, asked: ahead } = context;
  const fetch = createFetch({ name, log, headers, tls, env, connectTimeoutMs, ahead });
  try {
    const found = common.session === undefined ? (common.verdict?.transport ?? "auto") : "http";
    const over = transport === "auto" ? found : transport;
    const reached =
      over === "auto"
        ? await findOut(server, attempt, fetch)
        : await overHttp(over, { server, attempt, fetch }).catch(async (error: unknown) => {
            // It was remembered, and may have learned another one since.
            if (over === transport) throw forced(error, transport);
            if (common.signal.aborted) throw error;
            const anew = { ...attempt, common: { ...common, verdict: undefined } };
            return await findOut(server, anew, fetch);
          });
    void reached.client.closed.then(() => fetch[Symbol.dispose]());
    return reached;
  } catch (error) {
    fetch[Symbol.dispose]();
    throw error;
  }
}

/** Streamable HTTP first; the error of that is the one to tell, unless it was HTTP+SSE that was there. */
async function findOut(server: HttpServer, attempt: Attempt, fetch: Fetch): Promise<Reached> {
  const way = { server, attempt, fetch };
  try {
    return await overHttp("http", way);
  } catch (error) {
    if (!mayBeSse(error) || attempt.common.signal.aborted) throw error;
    let isSse = false;
    const onStream = () => void (isSse = true);
    return await overHttp("sse", { ...way, onStream }).catch((second: unknown) => {
      const code = isHostError(second) ? second.code : "";
      throw isSse || code === "cancelled" || code === "auth_required" ? second : error;
    });
  }
}

const always = () => true;

interface Way {
  server: HttpServer;
  attempt: Attempt;
  fetch: Fetch;
  /** As openSse has it. */
  onStream?: () => void;
}

async function overHttp(transport: "http" | "sse", way: Way): Promise<Reached> {
  const { server, fetch, onStream } = way;
  const { common, context } = way.attempt;
  const { name, url, headers } = server;
  const responseBytesMax = context.limits?.responseBytesMax;
  const { log, signal, startTimeoutMs } = common;
  const hasToken = hasCredentials(url, headers);
  const bounds = responseBytesMax && { responseBytesMax };
  const remote = { name, url, fetch, log, hasToken, ...bounds };
  if (transport === "http") {
    const { openHttp } = await import("../transport/http.ts");
    let link: Transport | undefined;
    const open = async () => (link = openHttp({ ...remote, session: common.session }));
    const client = await connect({ ...common, link: "http", open });
    client.keepSession = () => link?.keepSession?.();
    return { client, transport, owes: () => link?.owes?.() ?? true };
  }
  const { openSse } = await import("../transport/sse.ts");
  const open = () => openSse({ ...remote, startTimeoutMs, signal, onStream });
  // It is of one revision, which is all that there is to know of it.
  const protocol = common.protocol === "auto" ? "legacy" : common.protocol;
  const client = await connect({ ...common, ...(protocol && { protocol }), link: "http", open });
  return { client, transport, owes: always };
}

async function overSocket(
  { name, url, headers, tls }: HttpServer,
  { common, context }: Attempt,
): Promise<McpClient> {
  const [{ openWebSocket }, { routeOf }] = await Promise.all([
    import("../transport/ws.ts"),
    import("../transport/proxy.ts"),
  ]);
  const { log, signal, startTimeoutMs } = common;
  const open = () =>
    openWebSocket({
      name,
      url,
      log,
      headers,
      tls,
      signal,
      startTimeoutMs,
      messageBytesMax: context.limits?.responseBytesMax,
      proxy: routeOf(new URL(url), context.env, name)?.url,
    });
  return await connect({ ...common, open });
}

/** `initialize` was refused by a status that says that nobody understood it, and by no message (protocol.md 1.4). */
function mayBeSse(error: unknown): boolean {
  if (!isHostError(error) || error.code !== "server_start") return false;
  const { method, httpStatus, rpcCode } = error.facts;
  const isRefusal = httpStatus === 400 || httpStatus === 404 || httpStatus === 405;
  return method === "initialize" && isRefusal && rpcCode === undefined;
}

/** The error of a transport that was not found out but said. */
function forced(error: unknown, transport: string): unknown {
  if (!isHostError(error) || typeof error.facts.httpStatus !== "number") return error;
  const { code, message, facts, hint, cause } = error;
  if (code === "auth_required") return error;
  const said = `it was asked by the transport "${transport}", as written: without that, it is found out`;
  return new HostError(code, message, {
    facts,
    hint: hint === undefined ? said : `${hint}; ${said}`,
    cause,
  });
}

function ofSse({ era, revision }: McpClient, before: Verdict | undefined): Verdict {
  if (before?.transport === "sse" && before.revision === revision) return before;
  return { era, revision, transport: "sse" };
}
