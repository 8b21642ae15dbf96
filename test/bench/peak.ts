/**
 * The peak memory of the process that loads this in bytes, written to the file in `BENCH_PEAK_FILE` when it exits. As a preload,
 * and with nothing loaded besides: `node:fs` alone would make the engine fetch half a megabyte in advance.
 */
const file = process.env["BENCH_PEAK_FILE"];
if (file !== undefined) {
  process.on("exit", () => {
    const { maxRSS } = process.resourceUsage();
    // At once, since the folder is there.
    void Bun.write(file, String(process.platform === "darwin" ? maxRSS : maxRSS * 1024));
  });
}
