/**
 * A host with plugins: the host as it is, its options, lists and answers gone through their hooks, and a server in memory for
 * the tools of each. Loaded only where there are plugins.
 */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Answers } from "../client/answer-types.ts";
import { audited } from "../hooks/audit.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import type { Plugin } from "../hooks/plugin.ts";
import type { PluginRunner } from "../hooks/runner.ts";
import { PluginGate } from "./gate.ts";
import { openHost } from "./host.ts";
import { callOffered } from "./offered-call.ts";
import { Offering } from "./offering.ts";
import type { OpenedHost, OwnedCallRequest } from "./opened-types.ts";
import type { OpenHostOptions } from "./option-types.ts";
import { pluggedAnswers } from "./plugin-answers.ts";
import { pluginHosts } from "./plugin-host.ts";
import { heardLog, mayStart, seen } from "./plugin-notices.ts";
import { pluginServer } from "./plugin-server.ts";
import { pluggedTask } from "./plugin-tasks.ts";
import type { ChangeableHost, Reconfiguration } from "./reconfigure-types.ts";
import type { Recorder } from "./record-types.ts";
import type { HostedConfig, PluginServer } from "./server-types.ts";

export interface PluggedHost extends ChangeableHost {
  /**
   * Other plugins, which are set up, take the place of these, from the next call on: their tools, and all hooks but those
   * that servers were told of when they were greeted (`elicit`, `sample`, `roots`), which must have been there before. Those
   * before are cleaned up with `next`.
   * @throws HostError `config` as `openPluggedHost`: nothing has changed
   */
  replug(next: PluginRunner): Promise<void>;
}

/**
 * Opens a host over servers and plugins that are set up; they are cleaned up when it ends.
 * @throws HostError `config`: a tool's schema that is none, a plugin with tools that is called as a server is
 */
export async function openPluggedHost(
  plugins: PluginRunner,
  options: OpenHostOptions,
): Promise<PluggedHost> {
  const { approve, prepare, answers = {} } = options;
  const log = heardLog(plugins, options.log);
  const calls = new Map<string, Call>();
  const hostOf = pluginHosts(calls, () => offered);
  const serversOf = async (runner: PluginRunner, others: readonly HostedConfig[]) => {
    const made = await Promise.all(withTools(runner).map((each) => pluginServer(each, hostOf)));
    checkNames(made, others);
    return made;
  };
  let last: Reconfiguration = { servers: options.servers, policy: options.policy };
  let servers = await serversOf(plugins, last.servers);
  const gate = new PluginGate({
    plugins,
    approve,
    log,
    keeper: options.keeper,
    approvalTimeoutMs: plugins.approvalTimeoutMs,
    calls,
  });
  options.record?.through((event) => audited(plugins.hooks("audit"), event, log));
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
  const offered = plugged(host, plugins, { log, record: options.record });
  return {
    ...offered,
    async reconfigure(next) {
      checkNames(servers, next.servers);
      last = next;
      return await host.reconfigure({ ...next, servers: [...servers, ...next.servers] });
    },
    async replug(next) {
      servers = await serversOf(next, last.servers);
      plugins.become(next);
      await host.reconfigure({ ...last, servers: [...servers, ...last.servers], relist: true });
    },
    leave: () => end(host.leave()),
    [Symbol.asyncDispose]: () => end(host[Symbol.asyncDispose]()),
  };
}

// --- internal ---

function withTools({ plugins }: PluginRunner): Plugin[] {
  return plugins.filter(({ tools = {} }) => Object.keys(tools).length > 0);
}

interface About {
  log: Log;
  /** Where calls are written down, if they are. */
  record: Recorder | undefined;
}

/** What plugins have a word in of what a host is asked, and of what its servers ask. */
function plugged<H extends OpenedHost>(host: H, plugins: PluginRunner, about: About): H {
  const { log, record } = about;
  const answered = <R extends { answers?: Answers }>(request: R): R =>
    request.answers === undefined
      ? request
      : { ...request, answers: pluggedAnswers(plugins, request.answers, log) };
  const all = {
    ...host,
    // What is in memory is always known.
    async knownTools() {
      const servers = withTools(plugins).map(({ name }) => name);
      if (servers.length > 0) await host.tools({ servers });
      return await host.knownTools();
    },
  };
  const offering = new Offering(all, plugins);
  const hasLists = () => plugins.hooks("listTools").length > 0;
  const lists = () => (hasLists() ? offering : all);
  const call = async (request: OwnedCallRequest): Promise<Outcome> => {
    const whole = answered(request);
    if (!hasLists()) return await host.call(whole);
    return await callOffered(whole, { host, lists: offering, record });
  };
  return {
    ...host,
    tools: (options) => lists().tools(options),
    knownTools: () => lists().knownTools(),
    resolve: (name, options) => lists().resolve(name, options),
    call,
    ask: (request) => void call(request),
    async judge(tools, actor) {
      const before = plugins.hooks("beforeCall").map(({ plugin }) => plugin);
      const judged = await host.judge(tools, actor);
      return before.length === 0 ? judged : judged.map((one) => ({ ...one, plugins: before }));
    },
    async task(server, taskId, options) {
      return pluggedTask(await host.task(server, taskId, options), options?.tool, plugins, log);
    },
    read: (request) => host.read(answered(request)),
    prompt: (request) => host.prompt(answered(request)),
    async guest(answers) {
      const given = answers && pluggedAnswers(plugins, answers, log);
      return plugged(await host.guest(given), plugins, about);
    },
  } satisfies Partial<OpenedHost> as H;
}

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
