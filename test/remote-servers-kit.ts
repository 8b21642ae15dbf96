/** What is asked of each real server that is reached by a URL. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { createHost } from "../lib/host/create.ts";
import type { Host } from "../lib/host/types.ts";
import { sayOf } from "./features/ways.ts";
import { expectRun, mcphost, root, tempDir } from "./harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "./processes.ts";

/** A server that is reached by a URL, and what is to come of what it is asked. */
export interface RemoteServer {
  name: string;
  /** Its command line, once it is known which port is free; the folder is its own. */
  command: (port: number, folder: string) => string[];
  /** @default "127.0.0.1" */
  host?: string;
  /** The path of its URL. */
  path: string;
  /** What the command line says before the URL; undefined: it finds out by itself. */
  transport?: "sse" | "ws";
  era: "legacy" | "modern";
  lists: readonly string[];
  call: { tool: string; arguments: Record<string, string | number> };
  /** The first text of its result. */
  result: string | RegExp;
  /** It cannot be used here, and why. */
  skipped?: string;
}

/** The Bun that runs them. */
export const bun = process.execPath;

/** A file of a package. */
export const module = (...path: string[]) => join(root, "node_modules", ...path);

/** A server of our own over a real library. */
export const fixture = (name: string) => join(import.meta.dir, "fixtures/real", name);

/** A server with one tool that adds. */
export const sum = {
  lists: ["add"],
  call: { tool: "add", arguments: { a: 2, b: 40 } },
  result: "42",
  era: "legacy",
} as const;

/** The test of one server: it takes its time to start, so one start serves for all that is asked of it. */
export function exercise(server: RemoteServer): void {
  const { skipped, lists, call, result, era } = server;
  const title = "is listed, called, refuses, comes back, and leaves nothing";
  const tester = skipped === undefined ? test : test.skip;
  tester(
    skipped === undefined ? title : `${title}: skipped, ${skipped}`,
    async () => {
      await using running = await start(server);
      await using host = await hostOf(server, running.url);
      const { tools, failed } = await host.tools();
      expect(failed).toEqual([]);
      expect(tools.map(({ tool }) => tool)).toEqual(expect.arrayContaining([...lists]));
      expect(host.servers()[0]).toMatchObject({ state: "ready", era });
      expect(sayOf(await host.call(call))).toMatch(exactly(result));
      await lacksATool(server, host, running.url);
      await isCalledFromTheCommandLine(server, running.url);

      await running.restart();
      // A link that lasts has ended with it, and what is sent before that is noticed may have arrived.
      const isLasting = server.path === "/sse" || server.transport === "ws";
      if (isLasting)
        await waitFor(() => host.servers()[0]!.state !== "ready", "the end of the link");
      expect(sayOf(await host.call(call))).toMatch(exactly(result));
    },
    120_000,
  );
}

// --- internal ---

/** Refused by us, and by the server when it is sent all the same. */
async function lacksATool(server: RemoteServer, host: Host, url: string): Promise<void> {
  expect(await host.call({ tool: "no_such_tool" })).toMatchObject({
    status: "failed",
    sent: false,
    error: { code: "usage" },
  });
  await using unlisted = await hostOf(server, url);
  const refused = await unlisted.call({ tool: "no_such_tool", validate: false });
  expect(refused.status).toBe("failed");
  expect(sayOf(refused)).toContain("no_such_tool");
}

async function isCalledFromTheCommandLine(
  { transport, call, result }: RemoteServer,
  url: string,
): Promise<void> {
  const named = transport === undefined ? url : `srv:${transport}:${url}`;
  const args = Object.entries(call.arguments).map(([name, value]) => `${name}=${value}`);
  const called = await mcphost("call", call.tool, ...args, "-s", named).run();
  const stdout = typeof result === "string" ? `${result}\n` : result;
  expectRun(called, { stdout, stderr: "" });
  await nothingLeft(called.marker);
}

interface Running extends AsyncDisposable {
  url: string;
  restart(): Promise<void>;
}

async function start({
  command,
  host = "127.0.0.1",
  path,
  transport,
}: RemoteServer): Promise<Running> {
  const folder = await tempDir();
  const port = freePort();
  const marker = crypto.randomUUID();
  const launch = async () => {
    const child = Bun.spawn(command(port, folder.path), {
      cwd: folder.path,
      env: { PATH: process.env["PATH"], HOME: folder.path, PORT: String(port), MARKER: marker },
      // Some end with it.
      stdin: "pipe",
      stdout: "ignore",
      stderr: "pipe",
    });
    const said = child.stderr.text();
    let isGone = false;
    void child.exited.then(() => (isGone = true));
    await waitFor(async () => isGone || (await listens(host, port)), `port ${port}`, 30_000);
    if (isGone) throw new Error(`it ended: ${await said}`);
    return child;
  };
  let child = await launch();
  const stop = async () => {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), 1000);
    await child.exited;
    clearTimeout(late);
    // What it started itself, and does not always take with it.
    for (const { pid } of await liveProcesses(marker)) kill(pid);
    await nothingLeft(marker);
  };
  const scheme = transport === "ws" ? "ws" : "http";
  return {
    url: `${scheme}://${host}:${port}${path}`,
    async restart() {
      await stop();
      child = await launch();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Free a moment ago. */
function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

async function listens(hostname: string, port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname, port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}

async function hostOf({ transport }: RemoteServer, url: string): Promise<Host> {
  return await createHost({ servers: { srv: { url, ...(transport && { transport }) } } });
}

function exactly(text: string | RegExp): RegExp {
  return typeof text === "string" ? new RegExp(`^${RegExp.escape(text)}$`) : text;
}
