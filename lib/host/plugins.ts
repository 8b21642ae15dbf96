/**
 * A host with plugins: the host as it is, its options, lists and answers gone through their hooks, and a server in memory for
 * the tools of each. Loaded only where there are plugins.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Answers } from "../client/answer-types.ts";
import type { Call } from "../hooks/call.ts";
import type { PluginHost } from "../hooks/plugin-tool.ts";
import type { Plugin } from "../hooks/plugin.ts";
import type { PluginRunner } from "../hooks/runner.ts";
import { toHostError } from "./failure.ts";
import { createGate } from "./gate.ts";
import { openHost } from "./host.ts";
import { keyOf, Offering } from "./offering.ts";
import type { OpenHostOptions } from "./option-types.ts";
import { failureOf } from "./outcome.ts";
import { pluggedAnswers } from "./plugin-answers.ts";
import { heardLog, mayStart, seen } from "./plugin-notices.ts";
import { listed, openPluginServer } from "./plugin-server.ts";
import type { ChangeableHost } from "./reconfigure-types.ts";
import type { HostedConfig, PluginServer } from "./server-types.ts";
import type { OpenedHost, OwnedCallRequest } from "./types.ts";

/**
 * Opens a host over servers and plugins that are set up; they are cleaned up when it ends.
 * @throws HostError `config`: a tool's schema that is none, a plugin with tools that is called as a server is
 */
export async function openPluggedHost(
  plugins: PluginRunner,
  options: OpenHostOptions,
): Promise<ChangeableHost> {
  const { approve, prepare, answers = {} } = options;
  const log = heardLog(plugins, options.log);
  const calls = new Map<string, Call>();
  const servers = await Promise.all(
    plugins.plugins
      .filter(({ tools = {} }) => Object.keys(tools).length > 0)
      .map((plugin) => serverOf(plugin, (id) => hostFor(calls.get(id ?? ""), () => host))),
  );
  checkNames(servers, options.servers);
  const gate = createGate({
    plugins,
    approve,
    log,
    keeper: options.keeper,
    approvalTimeoutMs: plugins.approvalTimeoutMs,
    calls,
  });
  const host = openHost({
    ...options,
    servers: [...servers, ...options.servers],
    log,
    gate,
    answers: pluggedAnswers(plugins, answers, log),
    seen: (name, link) => seen(plugins, name, link),
    async prepare(server, signal) {
      await mayStart(plugins, server, signal);
      return await prepare(server, signal);
    },
  });
  const end = async (ending: PromiseLike<void>) => {
    await ending;
    await plugins[Symbol.asyncDispose]();
  };
  return {
    ...plugged(host, plugins, log),
    async reconfigure(next) {
      checkNames(servers, next.servers);
      return await host.reconfigure({ ...next, servers: [...servers, ...next.servers] });
    },
    leave: () => end(host.leave()),
    [Symbol.asyncDispose]: () => end(host[Symbol.asyncDispose]()),
  };
}

// --- internal ---

/** What plugins have a word in of what a host is asked, and of what its servers ask. */
function plugged<H extends OpenedHost>(host: H, plugins: PluginRunner, log: Log): H {
  const answered = <R extends { answers?: Answers }>(request: R): R =>
    request.answers === undefined
      ? request
      : { ...request, answers: pluggedAnswers(plugins, request.answers, log) };
  const lists = plugins.hooks("listTools").length > 0 ? new Offering(host, plugins) : undefined;
  return {
    ...host,
    ...(lists && {
      tools: (options) => lists.tools(options),
      knownTools: () => lists.knownTools(),
      resolve: (name, options) => lists.resolve(name, options),
    }),
    async call(request) {
      const whole = answered(request);
      return lists === undefined ? await host.call(whole) : await callOffered(host, lists, whole);
    },
    async judge(tools, actor) {
      const before = plugins.hooks("beforeCall").map(({ plugin }) => plugin);
      const all = await host.judge(tools, actor);
      return before.length === 0 ? all : all.map((one) => ({ ...one, plugins: before }));
    },
    read: (request) => host.read(answered(request)),
    prompt: (request) => host.prompt(answered(request)),
    async guest(answers) {
      const given = answers && pluggedAnswers(plugins, answers, log);
      return plugged(await host.guest(given), plugins, log);
    },
  } satisfies Partial<OpenedHost> as H;
}

/** The call of a tool by the name that plugins show it by. */
async function callOffered(host: OpenedHost, lists: Offering, request: OwnedCallRequest) {
  const { tool: name, signal, listedOnly } = request;
  const startedAt = performance.now();
  try {
    const shown = await lists.resolve(name, {
      ...(signal && { signal }),
      ...(listedOnly && { listedOnly }),
    });
    return await host.call({ ...request, tool: keyOf(shown), shownAs: shown.name });
  } catch (error) {
    const durationMs = performance.now() - startedAt;
    return failureOf(toHostError(error, name), { sent: false, durationMs });
  }
}

/** First, so that no server has one of its names, and each tool under the very name that it was given. */
async function serverOf(
  plugin: Plugin,
  hostOf: (callId: string | undefined) => PluginHost,
): Promise<PluginServer> {
  const { name, tools = {} } = plugin;
  const listing = await listed(plugin);
  return {
    kind: "plugin",
    name,
    origin: { label: `plugin ${name}`, kind: "named" },
    written: { plugin: name },
    protocol: "legacy",
    lifecycle: "lazy",
    share: "all",
    // They may call each other, and must not wait for each other's end.
    concurrency: concurrencyMax,
    prefix: "",
    rename: Object.fromEntries(Object.keys(tools).map((tool) => [tool, tool])),
    open: async () => openPluginServer({ plugin, listing, hostFor: hostOf }),
  };
}

const concurrencyMax = 100_000;

/** @throws HostError `config` */
function checkNames(
  servers: readonly PluginServer[],
  others: readonly Pick<HostedConfig, "name">[],
): void {
  const both = servers.find(({ name }) => others.some((other) => other.name === name));
  if (both === undefined) return;
  throw new HostError("config", `plugin "${both.name}" has tools, and a server has its name`, {
    facts: { server: both.name, plugin: both.name },
    hint: "give one of them another name",
  });
}

/** For whoever made the call: what a tool does in turn is theirs, too. */
function hostFor(call: Call | undefined, host: () => OpenedHost): PluginHost {
  return {
    call: async (request) =>
      await host().call({
        ...request,
        ...(call && { actor: call.actor, owner: call.owner, signal: call.signal }),
      }),
    tools: async () => (await host().knownTools()).tools,
  };
}
