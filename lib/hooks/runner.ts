/**
 * The plugins of one host, set up: their hooks by name, and what they are told. What only looks on can do no harm: its
 * faults are logged, once for each hook of each plugin. Disposing runs their clean-ups in reverse.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { checkPlugins } from "./check-plugin.ts";
import type { NamedPlugin } from "./check-plugin.ts";
import { thrownText } from "./frozen.ts";
import type { Cleanup, HookName, Hooks, Plugin } from "./plugin.ts";
import { answerOf, hooksOf } from "./run-hook.ts";
import type { Hooked } from "./run-hook.ts";

export interface RunnerOptions {
  /** In order, each with where it came from. */
  plugins: readonly { plugin: unknown; from: string }[];
  log: Log;
  /** @default 5000 */
  hookTimeoutMs?: number | undefined;
  /** @default 600000 */
  approvalTimeoutMs?: number | undefined;
}

/** Where the limits say nothing. */
export const hookTimeoutDefaultMs = 5000;

/** The hooks that only look on. */
type Watching = "serverStop" | "serverLog" | "message" | "log";

/**
 * Checks plugins and sets them up, one after the other; where one fails, those before are cleaned up.
 * @throws HostError `config`
 */
export async function setUpPlugins(options: RunnerOptions): Promise<PluginRunner> {
  const { log, hookTimeoutMs: timeoutMs = hookTimeoutDefaultMs } = options;
  const plugins = checkPlugins(options.plugins);
  const cleanups = new Cleanups(timeoutMs, log);
  try {
    for (const { plugin, from } of plugins)
      cleanups.add(plugin.name, await setUp({ plugin, from }, { log, timeoutMs }));
  } catch (error) {
    await cleanups.run();
    throw error;
  }
  return new PluginRunner(
    plugins.map(({ plugin }) => plugin),
    options,
    cleanups,
  );
}

export class PluginRunner implements AsyncDisposable {
  readonly hookTimeoutMs: number;
  /** Of hooks that wait for people or models. */
  readonly approvalTimeoutMs: number;
  readonly #log: Log;
  #plugins: readonly Plugin[];
  #cleanups: Cleanups;
  #revision = 0;
  readonly #hooks = new Map<HookName, Hooked<HookName>[]>();
  readonly #said = new Set<string>();

  constructor(plugins: readonly Plugin[], options: RunnerOptions, cleanups: Cleanups) {
    this.#plugins = plugins;
    this.hookTimeoutMs = options.hookTimeoutMs ?? hookTimeoutDefaultMs;
    this.approvalTimeoutMs = options.approvalTimeoutMs ?? approvalTimeoutDefaultMs;
    this.#log = options.log;
    this.#cleanups = cleanups;
  }

  get plugins(): readonly Plugin[] {
    return this.#plugins;
  }

  /** Another number whenever what they offer may be something else. */
  get revision(): number {
    return this.#revision;
  }

  /** They were asked anew what they offer. */
  relisted(): void {
    this.#revision += 1;
  }

  /** Others that are set up take the place of these, from the next hook on; disposing `next` cleans these up then. */
  become(next: PluginRunner): void {
    this.#plugins = next.#plugins;
    [this.#cleanups, next.#cleanups] = [next.#cleanups, this.#cleanups];
    this.#hooks.clear();
    this.#said.clear();
    this.#revision += 1;
  }

  /** Those of a name, in the order of their plugins. */
  hooks<Name extends HookName>(name: Name): readonly Hooked<Name>[] {
    let found = this.#hooks.get(name);
    if (found === undefined) {
      found = hooksOf(this.#plugins, name) as unknown as Hooked<HookName>[];
      this.#hooks.set(name, found);
    }
    return found as unknown as Hooked<Name>[];
  }

  /** Tells all that only look on. Never throws. */
  tell<Name extends Watching>(name: Name, ...args: Parameters<NonNullable<Hooks[Name]>>): void {
    const occasion = { timeoutMs: this.hookTimeoutMs };
    for (const hook of this.hooks(name)) {
      const run = hook.run as (...given: typeof args) => unknown;
      const answer = answerOf(hook, occasion, () => run(...args));
      if (answer instanceof Promise) answer.catch((error: unknown) => this.#failed(hook, error));
    }
  }

  /** Cleans up, in reverse. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanups.run();
  }

  // --- internal ---

  #failed({ plugin, hook }: { plugin: string; hook: string }, error: unknown): void {
    const key = `${hook} ${plugin}`;
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.#log({ level: "warn", text: isHostError(error) ? error.message : thrownText(error) });
  }
}

// --- internal ---

const approvalTimeoutDefaultMs = 600_000;

/** What plugins leave behind them, to be run in reverse, each within its time. */
class Cleanups {
  readonly #timeoutMs: number;
  readonly #log: Log;
  #entries: { plugin: string; cleanup: Cleanup }[] = [];

  constructor(timeoutMs: number, log: Log) {
    this.#timeoutMs = timeoutMs;
    this.#log = log;
  }

  add(plugin: string, cleanup: Cleanup | undefined): void {
    if (cleanup !== undefined) this.#entries.push({ plugin, cleanup });
  }

  /** Never rejects; a second time there is nothing left. */
  async run(): Promise<void> {
    const entries = this.#entries.toReversed();
    this.#entries = [];
    for (const { plugin, cleanup } of entries) {
      const hook = { plugin, hook: "clean-up" as HookName, run: cleanup as never };
      try {
        await answerOf(hook, { timeoutMs: this.#timeoutMs }, cleanup);
      } catch (error) {
        this.#log({ level: "warn", text: isHostError(error) ? error.message : thrownText(error) });
      }
    }
  }
}

async function setUp(
  { plugin, from }: NamedPlugin,
  { log, timeoutMs }: { log: Log; timeoutMs: number },
): Promise<Cleanup | undefined> {
  const { name, setup } = plugin;
  if (setup === undefined) return undefined;
  const context = {
    log: (text: string) => log({ level: "info", text: `plugin ${JSON.stringify(name)}: ${text}` }),
  };
  const hook = { plugin: name, hook: "setup" as HookName, run: setup as never };
  try {
    const answer: unknown = await answerOf(hook, { timeoutMs }, () => setup.call(plugin, context));
    if (answer === undefined || typeof answer === "function") return answer as Cleanup | undefined;
    throw new TypeError("setup returned neither nothing nor a function that cleans up");
  } catch (error) {
    const text = isHostError(error) ? error.message : `plugin "${name}": ${thrownText(error)}`;
    throw new HostError("config", text, { facts: { plugin: name, file: from }, cause: error });
  }
}
