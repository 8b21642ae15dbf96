import { describe, expect, test } from "bun:test";

import { stdoutSink } from "../../lib/cli/io.ts";
import { statusLine } from "../../lib/cli/status.ts";
import { stderrSink } from "../../lib/cli/stderr-sink.ts";

class Failure extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

function writer(fails?: string) {
  let text = "";
  const decoder = new TextDecoder();
  return {
    text: () => text,
    open: () => ({
      write(data: string | Uint8Array) {
        if (fails !== undefined) return Promise.reject(new Failure(fails));
        text += typeof data === "string" ? data : decoder.decode(data);
        return data.length;
      },
      flush: () => 0,
    }),
  };
}

describe("stdout", () => {
  test("a reader that left is no error, and nothing more is written", async () => {
    const sink = stdoutSink(writer("EPIPE").open);
    await sink.write("x");
    expect(sink.closed).toBe(true);
    await sink.write("y");
  });

  test("a full disk is an output error", async () => {
    const sink = stdoutSink(writer("ENOSPC").open);
    await expect(sink.write("x")).rejects.toMatchObject({ code: "output" });
  });
});

describe("stderr", () => {
  test("writes keep their order and are never waited for", async () => {
    const to = writer();
    const sink = stderrSink(to.open);
    for (let i = 0; i < 100; i++) void sink.write(`${i}\n`);
    await sink.drain(1000);
    expect(to.text()).toBe(Array.from({ length: 100 }, (_, i) => `${i}\n`).join(""));
  });

  test("a write at any moment of the pump is written", async () => {
    const to = writer();
    const sink = stderrSink(to.open);
    let expected = "";
    for (let ticks = 0; ticks < 20; ticks++) {
      expected += `${ticks}\n`;
      void sink.write(`${ticks}\n`);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    }
    await sink.drain(1000);
    expect(to.text()).toBe(expected);
  });

  test("a reader that does not read costs lines, which are counted, and no time", async () => {
    const gate = Promise.withResolvers<number>();
    let text = "";
    const decoder = new TextDecoder();
    const sink = stderrSink(() => ({
      write(data) {
        text += typeof data === "string" ? data : decoder.decode(data);
        return data.length;
      },
      flush: () => gate.promise,
    }));
    const line = `${"x".repeat(1023)}\n`;
    for (let i = 0; i < 2000; i++) await sink.write(line);
    await sink.drain(1);
    expect(text).toBe(line);
    gate.resolve(0);
    await sink.drain(1000);
    expect(text).toContain("mcphost: 976 lines dropped here");
    expect(text.length).toBeLessThan(1_100_000);
  });

  test("it is opened once, so that no descriptor is needed later", async () => {
    const to = writer();
    let opened = 0;
    const sink = stderrSink(() => {
      opened++;
      return to.open();
    });
    for (const data of ["a", "b"]) {
      await sink.write(data);
      await sink.drain(1000);
    }
    expect({ opened, text: to.text() }).toEqual({ opened: 1, text: "ab" });
  });

  test("a closed stderr is no error", async () => {
    const sink = stderrSink(writer("EPIPE").open);
    await sink.write("x");
    await sink.drain(1000);
    expect(sink.closed).toBe(true);
    await sink.write("y");
  });
});

test("a status line that is taken away while something is written above it", async () => {
  const to = writer();
  const raw = stderrSink(to.open);
  const line = statusLine(raw, { columns: 20 });
  line.show("[###]");
  const writing = line.sink.write("log\n");
  line.show(undefined);
  await writing;
  await raw.drain(1000);
  expect(to.text()).toBe("\r\u001b[K[###]\r\u001b[Klog\n[###]\r\u001b[K");
});

test("what is written stands above the status line", async () => {
  const to = writer();
  const raw = stderrSink(to.open);
  const line = statusLine(raw, { columns: 20 });
  line.show("[###]");
  await line.sink.write("log\n");
  line.show(undefined);
  await line.sink.write("end\n");
  line.show("a line that is too long");
  await line
    .before({ closed: false, write: async (data) => void (await raw.write(data)) })
    .write("out\n");
  await raw.drain(1000);
  expect(to.text()).toBe(
    "\r\u001b[K[###]\r\u001b[Klog\n[###]\r\u001b[Kend\n\r\u001b[Ka line that is too…\r\u001b[Kout\n",
  );
});

test("while a question is open nothing is written into it; then all of it is", async () => {
  const to = writer();
  const raw = stderrSink(to.open);
  const line = statusLine(raw, { columns: 20 });
  line.show("[#..]");
  const release = line.hold();
  line.show("[##.]");
  await line.sink.write("log\n");
  line.show("[###]");
  await raw.drain(1000);
  expect(to.text()).toBe("\r\u001b[K[#..]\r\u001b[K");
  release();
  release();
  await raw.drain(1000);
  expect(to.text()).toBe("\r\u001b[K[#..]\r\u001b[Klog\n\r\u001b[K[###]");
});
