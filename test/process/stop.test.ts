import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";

import type { ExitInfo } from "../../lib/process/child.ts";
import { strays } from "../../lib/process/group.ts";
import { climb } from "../../lib/process/stop.ts";
import {
  parsePs,
  parseStat,
  type ProcessRow,
  readByPs,
  readProcesses,
} from "../../lib/process/table.ts";
import { tempDir } from "../temp-dir.ts";
import { env, fixture, living, Output, start, startFixture, until } from "./help.ts";

const bun = process.execPath;
const ps = Bun.which("ps");

describe("each rung", () => {
  test("a server that only knows the end of stdin ends on the first", async () => {
    const { child } = startFixture("eof-only.ts");
    const output = new Output(child);
    await output.line();
    expect(await child.stop()).toEqual({ rung: "eof", exit: { exitCode: 0, signal: null } });
    expect(await output.rest()).toBe("bye\n");
    expect(await living(child.pid)).toEqual([]);
  });

  test("one that needs TERM gets it", async () => {
    const { child } = start(["sleep", "60"], { stopMs: 100 });
    expect(await child.stop()).toEqual({
      rung: "term",
      exit: { exitCode: null, signal: "SIGTERM" },
    });
  });

  test("one that ignores both is killed, and stop may be called again", async () => {
    const { child } = startFixture("deaf.ts", { stopMs: 150 });
    await new Output(child).line();
    const [first, second] = await Promise.all([child.stop(), child.stop()]);
    expect(first).toEqual({ rung: "kill", exit: { exitCode: null, signal: "SIGKILL" } });
    expect(second).toBe(first);
    expect(await living(child.pid)).toEqual([]);
  });

  test("one that is gone already took none", async () => {
    const { child } = start(["sh", "-c", "exit 3"]);
    await child.exited;
    expect(await child.stop()).toEqual({ rung: "exited", exit: { exitCode: 3, signal: null } });
  });

  test("one that survives SIGKILL is reported, not waited for", async () => {
    const signals: string[] = [];
    const report = await climb({
      tree: { isAlive: async () => true, signal: async (name) => void signals.push(name) },
      exited: new Promise<ExitInfo>(() => {}),
      exit: () => undefined,
      closeStdin: () => void signals.push("eof"),
      stopMs: 5,
    });
    expect(report).toEqual({ rung: "alive", exit: undefined });
    expect(signals).toEqual(["eof", "SIGTERM", "SIGKILL"]);
  });
});

describe("nothing is left of what the server started", () => {
  test.each([
    ["a shell that waits for it", ["sh", "-c", '"$0" "$1"; true']],
    ["a wrapper that left", ["sh", "-c", '"$0" "$1" & sleep 0.2']],
  ])("below %s (B076)", async (_, command) => {
    const { child } = start([...command, bun, fixture("deaf.ts")], { stopMs: 300 });
    const [, pid] = (await new Output(child).line()).split(" ");
    expect(await living(child.pid)).toContain(Number(pid));
    expect((await child.stop()).rung).toBe("kill");
    expect(await living(child.pid)).toEqual([]);
  });

  test("a descendant in a session of its own (B076)", async () => {
    const { child } = startFixture("stray.ts", { stopMs: 300 });
    const [, , stray] = (await new Output(child).line()).split(" ");
    expect(await living(Number(stray))).toEqual([Number(stray)]);
    expect((await child.stop()).rung).toBe("kill"); // TERM ended the server, but not its stray
    expect(child.exited).resolves.toEqual({ exitCode: null, signal: "SIGTERM" });
    expect(await living(child.pid, Number(stray))).toEqual([]);
  });

  test("a server whose wrapper was killed by somebody else", async () => {
    const { child } = start(["sh", "-c", '"$0" "$1"; true', bun, fixture("deaf.ts")], {
      stopMs: 200,
    });
    await new Output(child).line();
    process.kill(child.pid, "SIGKILL");
    expect(await child.exited).toEqual({ exitCode: null, signal: "SIGKILL", leaves: true });
    expect(await living(child.pid)).toHaveLength(1);
    expect((await child.stop()).rung).toBe("kill");
    expect(await living(child.pid)).toEqual([]);
  });
});

test("stopping does not wait for who keeps the pipes outside the group (O017)", async () => {
  // The helper is started on purpose to outlive the server, which ends at the end of stdin.
  const script = `const p = Bun.spawn(["sleep", "60"], { stdio: ["ignore", "inherit", "inherit"], detached: true });
    p.unref(); console.log("helper " + p.pid); for await (const _ of Bun.stdin.stream());  process.exit(0)`;
  const { child } = start([bun, "-e", script]);
  const output = new Output(child);
  const [, helper] = (await output.line()).split(" ");
  try {
    expect((await child.stop()).rung).toBe("eof");
    expect(await output.rest()).toBe("");
    expect(await living(Number(helper))).toEqual([Number(helper)]); // left alone: the server ended by itself
  } finally {
    process.kill(Number(helper), "SIGKILL");
  }
});

test("exited servers leave no zombie behind in a host that lives on (B073)", async () => {
  const children = Array.from({ length: 20 }, () => start(["sh", "-c", "exit 0"]).child);
  await Promise.all(children.map((child) => child.exited));
  const pids = children.map((child) => child.pid);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  await Promise.all(children.map((child) => child.stop()));
});

test("the end of stdin reaches a server although others run (G010)", async () => {
  const first = startFixture("eof-only.ts").child;
  await using second = startFixture("eof-only.ts").child;
  await Promise.all([new Output(first).line(), new Output(second).line()]);
  expect((await first.stop()).rung).toBe("eof");
});

test("a server has no terminal and none of our stdin (G008)", async () => {
  const look =
    "tty; ls -l /proc/self/fd | wc -l; ps -o sid= -p $$ 2>/dev/null; echo $$; (: </dev/tty) 2>/dev/null || echo none";
  const { child } = start(["sh", "-c", look], { env });
  expect(await new Output(child).rest()).toMatch(/^not a tty\n[^]*none\n$/);
  await child.stop();
});

describe("the table of processes", () => {
  test("reads /proc whatever a process calls itself, and ps", () => {
    const stat = `42 (a) Z 1 (b\n) S 7 9 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 99 1`;
    const row = { pid: 42, parent: 7, group: 9, start: "12345", isZombie: false };
    expect(parseStat(42, stat)).toEqual(row);
    expect(parseStat(42, stat.replace(") S 7", ") Z 7"))?.isZombie).toBe(true);
    expect(parseStat(42, "")).toBeUndefined();
    expect(parsePs("   42     7    9 Ss   Sun Nov 29 18:36:01 2026 ")).toEqual({
      ...row,
      start: "Sun Nov 29 18:36:01 2026",
    });
    expect(parsePs("")).toBeUndefined();
  });

  test.skipIf(ps === null)(
    "is the same by ps, also one to which all behind a `=` is a title (macOS, the BSDs)",
    async () => {
      await using dir = await tempDir();
      const strict = `#!/bin/sh\nfor word; do case $word in *=?*) exit 1 ;; esac; done\nexec ${ps} "$@"\n`;
      await Bun.write(dir.file("ps"), strict);
      await chmod(dir.file("ps"), 0o755);
      const { child } = start(["sleep", "60"]);
      const isOurs = ({ pid }: ProcessRow) => pid === child.pid;
      const ours = (await readByPs(`${dir.path}:/usr/bin:/bin`))?.find(isOurs);
      expect(ours).toEqual({ ...(await readProcesses())!.find(isOurs)!, start: ours!.start });
      await child.stop();
    },
  );

  test("finds what left the group by its parents, and keeps what was found before", () => {
    const table = [
      processRow(30, 20, 30),
      processRow(10, 1, 10),
      processRow(20, 10, 20),
      processRow(31, 30, 10),
      processRow(99, 1, 99),
    ];
    const known = strays(table, 10, []);
    expect(pidsOf(known)).toEqual([20, 30]);
    // Its parents are gone: only the memory knows it. A new process with an old number is not it.
    const later = [processRow(30, 1, 30), processRow(40, 30, 40), processRow(20, 1, 20, "2")];
    expect(pidsOf(strays(later, 10, known))).toEqual([30, 40]);
  });
});

test("what dies while it is stopped is waited for, not signalled", async () => {
  const { child } = start(["sh", "-c", "cat >/dev/null; sleep 0.3"]);
  expect((await child.stop()).rung).toBe("eof");
  await until("the group is gone", async () => (await living(child.pid)).length === 0);
});

function processRow(pid: number, parent: number, group: number, begin = "1"): ProcessRow {
  return { pid, parent, group, start: begin, isZombie: false };
}

function pidsOf(rows: ProcessRow[]): number[] {
  return rows.map(({ pid }) => pid).toSorted();
}
