import { describe, expect, test } from "bun:test";

import { startReaper } from "../../lib/process/reaper.ts";
import { readProcesses } from "../../lib/process/table.ts";
import { env, fixture, living, Output, start, until } from "./help.ts";

const bun = process.execPath;
const host = (mode: string, ...command: string[]) => [bun, fixture("host.ts"), mode, ...command];
const deaf = [bun, fixture("deaf.ts")];

const gone = (group: number) =>
  until(`group ${group} is gone`, async () => (await living(group)).length === 0);

/** Starts a host whose own group is not ours to end, and gives the group of its child. */
async function startHost(...command: string[]) {
  const { child } = start(command);
  const output = new Output(child);
  const [group = "", , ...pids] = (await output.line()).split(" ");
  return { child, output, group: Number(group), pids: pids.map(Number) };
}

describe("a host killed by SIGKILL leaves nothing of its servers", () => {
  test.each([
    ["that ignore everything", deaf],
    ["that end with their stdin", [bun, fixture("eof-only.ts")]],
    ["below a shell", ["sh", "-c", '"$0" "$1"; true', ...deaf]],
    ["below a wrapper that left", ["sh", "-c", '"$0" "$1" & sleep 0.1', ...deaf]],
  ])("%s", async (_, command) => {
    const { child, group } = await startHost(...host("hang", ...command));
    if (command.length > 4)
      await until("the wrapper left or waits", async () => (await living(group)).length > 0);
    process.kill(child.pid, "SIGKILL");
    await child.exited;
    await gone(group);
  });

  test("killed before the reaper was told of the child", async () => {
    const { child, group } = await startHost(...host("untold", ...deaf));
    process.kill(child.pid, "SIGKILL");
    await child.exited;
    await gone(group);
  });

  test("killed in the very tick of the start", async () => {
    const marker = `mcphost-test-${process.pid}-${Math.random()}`;
    const script = `process.on("SIGTERM",()=>{}); setInterval(()=>{},1000) // ${marker}`;
    const { child } = start(host("now", bun, "-e", script));
    expect(await child.exited).toEqual({ exitCode: null, signal: "SIGKILL" });
    await until("the child is gone", async () => !(await commandLines()).includes(marker));
  });
});

test("a host that leaves after its answer does so at once, and what is left is ended", async () => {
  const { child, group } = await startHost(...host("leave", ...deaf));
  expect(await child.exited).toEqual({ exitCode: 0, signal: null });
  expect(await living(group)).toEqual([group]); // it did not wait
  await gone(group);
});

describe("the reaper", () => {
  const shells = [["sh"], ["dash"], ["bash"], ["busybox", "sh"]].flatMap(([name = "", ...args]) => {
    const file = Bun.which(name);
    return file === null ? [] : [[[name, ...args].join(" "), [file, ...args]] as const];
  });

  test.each(shells)(
    "under %s ends what was not taken from it, TERM before KILL",
    async (_, shell) => {
      using kept = newGroup("sleep 60");
      using polite = newGroup(
        'trap "echo term; exit" TERM; echo ready; while :; do sleep 0.05; done',
      );
      using deafened = newGroup('trap "" TERM; echo ready; while :; do sleep 0.05; done');
      using orphans = newGroup('(trap "" TERM; sleep 60) & sleep 0.05; echo ready');
      const output = new Output(polite.proc);
      await Promise.all([
        output.line(),
        new Output(deafened.proc).line(),
        new Output(orphans.proc).line(),
      ]);
      const reaper = startReaper({ stopMs: 200, shell });
      for (const { pid } of [kept, polite, deafened, orphans]) reaper?.add(pid);
      reaper?.remove(kept.pid);
      await orphans.proc.exited;
      reaper?.release();
      await Promise.all([polite, deafened, orphans].map(({ pid }) => gone(pid)));
      expect(await output.rest()).toBe("term\n");
      expect(await living(kept.pid)).not.toEqual([]);
    },
  );

  test("gives servers time to end by themselves", async () => {
    using slow = newGroup('trap "echo term" TERM; sleep 0.5; echo done');
    const output = new Output(slow.proc);
    const reaper = startReaper({ stopMs: 5000 });
    reaper?.add(slow.pid);
    reaper?.release();
    expect(await output.rest()).toBe("done\n");
  });

  test("leaves alone a process that was given the number of one of ours", async () => {
    for (let attempt = 0; attempt < 20; attempt++) {
      using last = newGroup("true");
      // The reaper is told of a number that nobody has; then somebody gets it.
      const number = last.pid + 60;
      const reaper = startReaper({ stopMs: 100 });
      reaper?.add(number);
      await Bun.sleep(50);
      using stranger = await reach(number);
      using ours = newGroup("exec sleep 60");
      reaper?.add(ours.pid);
      reaper?.release();
      await gone(ours.pid);
      if (stranger === undefined) continue; // somebody else was faster
      await Bun.sleep(200);
      expect(await living(number)).not.toEqual([]);
      return;
    }
    throw new Error("the number was never ours to give");
  });

  test.skipIf(Bun.which("setsid") === null)("counts a zombie as gone", async () => {
    // The leader of the inner group ends, and its parent never looks.
    using parent = newGroup('setsid sh -c "echo \\$\\$; sleep 0.2" & exec sleep 60');
    const pid = Number(await new Output(parent.proc).line());
    const before = new Set((await children()).map((row) => row.pid));
    const reaper = startReaper({ stopMs: 60_000 });
    const [started] = (await children()).filter((row) => !before.has(row.pid));
    reaper?.add(pid);
    await gone(pid);
    reaper?.release();
    await until("the reaper has left", async () => (await living(started?.pid ?? 0)).length === 0);
  });

  test("is quick to start, ends with us, and is no reason to stay", async () => {
    const script = `const { startReaper } = await import(${JSON.stringify(`${import.meta.dir}/../../lib/process/reaper.ts`)});
      globalThis.kept = startReaper();`;
    const { child } = start([bun, "-e", script]);
    expect(await child.exited).toEqual({ exitCode: 0, signal: null });
  });

  test("that somebody killed breaks nothing", async () => {
    const script = `const { startReaper } = await import(${JSON.stringify(`${import.meta.dir}/../../lib/process/reaper.ts`)});
      const reaper = startReaper(); const [pid] = (await Bun.$\`pgrep -P \${process.pid}\`.text()).trim().split("\\n");
      process.kill(Number(pid), "SIGKILL");
      for (let i = 0; i < 20; i++) { reaper.add(1e9 + i); reaper.remove(1e9 + i); await Bun.sleep(5); }
      reaper.release(); console.log("fine")`;
    const { child } = start([bun, "-e", script]);
    expect(await new Output(child).rest()).toBe("fine\n");
    expect((await child.exited).exitCode).toBe(0);
  });
});

async function commandLines(): Promise<string> {
  const proc = Bun.spawn(["ps", "-A", "-ww", "-o", "state=,args="], { stdout: "pipe" });
  const text = await proc.stdout.text();
  return text
    .split("\n")
    .filter((line) => !line.startsWith("Z"))
    .join("\n");
}

/** A group of its own, led by a shell; ended at the end of the test whatever happens. */
function newGroup(script: string) {
  const proc = Bun.spawn(["sh", "-c", script], {
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  return {
    pid: proc.pid,
    proc,
    [Symbol.dispose]() {
      try {
        process.kill(-proc.pid, "SIGKILL");
      } catch {
        // gone
      }
    },
  };
}

async function children() {
  const table = (await readProcesses()) ?? [];
  return table.filter((row) => row.parent === process.pid && !row.isZombie);
}

/** Starts groups until one has this number. */
async function reach(number: number) {
  while (true) {
    const next = newGroup("exec sleep 60");
    if (next.pid === number) return next;
    next[Symbol.dispose]();
    if (next.pid > number) return undefined;
  }
}
