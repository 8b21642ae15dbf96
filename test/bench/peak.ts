/**
 * The peak memory of the process that loads this, written to the file in `BENCH_PEAK_FILE` when it exits. As a preload,
 * since what `wait4` says of a child is never below the memory of the parent that spawned it.
 */
const file = process.env["BENCH_PEAK_FILE"];
if (file !== undefined) {
  process.on("exit", () => {
    const { readFileSync, writeFileSync } = require("node:fs") as typeof import("node:fs");
    const [, kilobytes] =
      process.platform === "linux"
        ? /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))!
        : [undefined, process.resourceUsage().maxRSS];
    writeFileSync(file, String(Number(kilobytes) * 1024));
  });
}
