/** `mcphost serve` over a config file that changes while it runs. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Plan } from "../fixtures/host/server.ts";
import { bunAlone, root, type TempDir, tempDir } from "../harness.ts";
import { tools } from "../host/kit.ts";
import { waitFor } from "../processes.ts";
import { type Program, serveProgram } from "./program-kit.ts";

const program = join(root, "test/fixtures/host/server.ts");

/** A server of a config. */
export function entry(plan: Plan = {}, more: object = {}): object {
  const usual = tools("echo", "pid", "silent", "wait");
  const args = [...bunAlone.slice(1), program, JSON.stringify({ tools: usual, ...plan })];
  return { command: bunAlone[0], args, stopMs: 300, ...more };
}

export interface Asked {
  method?: string;
  json?: unknown;
  token?: string;
  headers?: Record<string, string>;
}

export interface Configured extends Program {
  folder: TempDir;
  /** The config file. */
  file: string;
  /** The start key. */
  key: string;
  /** Writes the file in place. */
  write(config: object | string): Promise<void>;
  /** Puts another file in its place, as many editors do. */
  replace(config: object | string): Promise<void>;
  ask(path: string, asked?: Asked): Promise<Response>;
  /** As `ask`, with the key: its status and its body. */
  decide(path: string, asked?: Asked): Promise<{ status: number; body: any; etag: string | null }>;
  /** The text of what a tool answers; else the status and the body. */
  call(tool: string, params?: object): Promise<string>;
  health(): Promise<any>;
  /** Waits until `/health` shows exactly these servers. */
  shows(...names: string[]): Promise<void>;
}

/** Starts it with `-c`, and waits until all servers were looked at. */
export async function serveConfig(
  config: object | string,
  {
    args = [],
    within = [],
    env = {},
  }: { args?: string[]; within?: string[]; env?: Record<string, string> } = {},
): Promise<Configured> {
  const folder = await tempDir();
  const file = folder.file("servers.json");
  await writeFile(file, textOf(config));
  const serve = await serveProgram(["-c", file, ...args], env, within);
  const key = (await Bun.file(serve.keyFile).text()).trim();
  const ask: Configured["ask"] = (path, asked = {}) => askAt(serve.url + path, asked);
  const health = async (): Promise<any> => await (await ask("/health", { token: key })).json();
  const it: Configured = {
    ...serve,
    folder,
    file,
    key,
    write: (next) => writeFile(file, textOf(next)),
    async replace(next) {
      const temporary = folder.file(`.${crypto.randomUUID()}`);
      await writeFile(temporary, textOf(next));
      await rename(temporary, file);
    },
    ask,
    async decide(path, asked = {}) {
      const answer = await ask(path, { token: key, ...asked });
      const text = await answer.text();
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      return { status: answer.status, body, etag: answer.headers.get("etag") };
    },
    async call(tool, params = {}) {
      const answer = await ask("/tools", { json: { tool, params }, token: key });
      const body = (await answer.json()) as { plain_text_response?: string };
      return body.plain_text_response ?? `${answer.status} ${JSON.stringify(body)}`;
    },
    health,
    async shows(...names) {
      let last: unknown;
      await waitFor(
        async () => {
          const { servers } = await health();
          last = servers;
          const settled = servers.every(({ state }: any) => state !== "starting");
          return settled && servers.map(({ name }: any) => name).join() === names.join();
        },
        () => `${names.join()} in ${JSON.stringify(last)}`,
      );
    },
    async [Symbol.asyncDispose]() {
      await serve[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  await waitFor(async () => (await health()).servers.every((one: any) => one.state !== "starting"));
  return it;
}

/** Ends a program, and gives what it logged. */
export async function logged(it: Pick<Program, "kill" | "exited" | "stderr">): Promise<string> {
  it.kill("SIGTERM");
  await it.exited;
  const lines = (await it.stderr).split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { text: string }).text).join("\n");
}

// --- internal ---

function textOf(config: object | string): string {
  return typeof config === "string" ? config : JSON.stringify(config);
}

function askAt(url: string, { method, json, token, headers }: Asked): Promise<Response> {
  return fetch(url, {
    method: method ?? (json === undefined ? "GET" : "POST"),
    ...(json !== undefined && { body: JSON.stringify(json) }),
    headers: {
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
}
