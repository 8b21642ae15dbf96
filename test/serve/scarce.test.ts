/** `serve` where the system has too little: a server that cannot be started is said to be, and all else goes on. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";

import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { serveProgram } from "./program-kit.ts";
import type { Program } from "./program-kit.ts";
import { faulty, seen } from "./rest-kit.ts";

const command = [process.execPath, ...(faulty("none").args ?? [])].join(" ");
const two = ["-s", `a=${command}`, "-s", `b=${command}`];

function call({ url }: Program, tool: string) {
  const body = JSON.stringify({ tool, params: { message: "x" } });
  const headers = { "content-type": "application/json" };
  return seen(fetch(`${url}/tools`, { method: "POST", headers, body }));
}

/** `a` runs, `b` is known and does not run. */
async function settled(serve: Program): Promise<void> {
  await waitFor(async () => {
    const { body } = await seen(fetch(`${serve.url}/servers`));
    return body.every(({ state, tools }: any) => state === "idle" && tools === 1);
  });
  expect(await call(serve, "a_echo")).toMatchObject({ body: { plain_text_response: "x" } });
}

/** How many descriptors it has. */
const filesOf = ({ pid }: Program) => readdirSync(`/proc/${pid}/fd`).length;

const works = { status: 200, body: { plain_text_response: "x" } };
const failsOf = (errno: string) => ({
  status: 200,
  body: { error: expect.stringContaining(errno), code: "server_start", server: "b" },
});

test.skipIf(process.platform !== "linux")(
  "B022 no descriptors left: those that run go on, and once there are some again all is well",
  async () => {
    const within = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"];
    await using serve = await serveProgram(two, {}, within);
    await settled(serve);
    const streams = await Promise.all(
      Array.from({ length: 100 }, () =>
        Bun.connect({
          hostname: "127.0.0.1",
          port: serve.port,
          socket: {
            open: (socket) =>
              void socket.write(`GET /events HTTP/1.1\r\nHost: localhost:${serve.port}\r\n\r\n`),
            data() {},
          },
        }),
      ),
    );
    await waitFor(() => filesOf(serve) === 64, "all descriptors to be taken");
    expect(await call(serve, "b_echo")).toMatchObject(failsOf("EMFILE"));
    expect(await call(serve, "a_echo")).toMatchObject(works);
    for (const stream of streams) stream.terminate();
    await waitFor(() => filesOf(serve) < 40);
    expect(await call(serve, "b_echo")).toMatchObject(works);
    expect(await call(serve, "a_echo")).toMatchObject(works);
  },
  30_000,
);

/** How to be a user whose processes are limited: root's are not. */
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const user = process.getuid?.() === 0 ? asNobody : [];
const isThere = (name: string) => Bun.which(name) !== null;
const canLimit =
  process.platform === "linux" && isThere("prlimit") && (user.length === 0 || isThere("setpriv"));
if (!canLimit) console.error("skipped: prlimit or setpriv of util-linux is not here");

/** Sets the soft limit of a process that runs already, and gives back what it was. */
function limitProcesses(pid: number, limit: string): string {
  const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
  const [, before = ""] = /^Max processes +(\d+|unlimited)/m.exec(limits) ?? [];
  const argv = [...user, "prlimit", "--pid", `${pid}`, `--nproc=${limit}:`];
  const { exitCode, stderr } = Bun.spawnSync(argv);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return before;
}

test.skipIf(!canLimit)(
  "B022 no process may be started (EAGAIN): those that run go on, and later it may",
  async () => {
    await using serve = await serveProgram(two, {}, user);
    await settled(serve);
    const before = limitProcesses(serve.pid, "1");
    expect(await call(serve, "b_echo")).toMatchObject(failsOf("EAGAIN"));
    expect(await call(serve, "a_echo")).toMatchObject(works);
    limitProcesses(serve.pid, before);
    expect(await call(serve, "b_echo")).toMatchObject(works);
  },
  30_000,
);

test("arguments that are too long (E2BIG) are one server's own fault", async () => {
  await using kit = serveOver({ a: {}, b: { args: ["x".repeat(200_000)] } });
  const ask = (tool: string) => seen(kit.ask("/tools", { json: { tool } }));
  expect(await ask("b_echo")).toMatchObject(failsOf("E2BIG"));
  expect(await ask("a_echo")).toMatchObject({ status: 200, body: { plain_text_response: "{}" } });
});
