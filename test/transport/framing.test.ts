/** Bytes of a server's stdout: messages, whatever stands around them, however they are cut. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import type { Framed } from "../../lib/transport/framed.ts";
import { Framing } from "../../lib/transport/framing.ts";

const encoder = new TextEncoder();

function frame(
  input: string | Uint8Array,
  options: { chunk?: number; lineBytesMax?: number } = {},
): Framed[] {
  const bytes = typeof input === "string" ? encoder.encode(input) : input;
  const { chunk = bytes.length, lineBytesMax = 1_000_000 } = options;
  const framing = new Framing({ lineBytesMax });
  const out: Framed[] = [];
  for (let at = 0; at < bytes.length; at += chunk)
    out.push(...framing.feed(bytes.slice(at, at + chunk)));
  return [...out, ...framing.end()];
}

/** Ids of the answers and texts of the noise, in order. */
function brief(framed: Framed[]): unknown[] {
  return framed.map((item) => {
    if ("noise" in item) return item.noise;
    if ("oversize" in item) return { oversize: item.oversize.id ?? null };
    return "id" in item.message ? item.message.id : item.message.method;
  });
}

const reply = (id: number | string, result: unknown = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, result });

test("an answer behind other text on its line is told apart from one that stands alone", () => {
  const typescript = '{"result":{"result":1},"jsonrpc":"2.0","id":1}';
  for (const answer of [
    reply(1),
    typescript,
    '{"id":1,"jsonrpc":"2.0","error":{"code":1,"message":"x"}}',
  ])
    expect(frame(`[log] calling ${answer}\n`)).toEqual([
      { noise: `[log] calling ${answer}`, reason: "not JSON", lines: 1 },
      { message: JSON.parse(answer), text: answer, behindNoise: true },
    ]);
});

test.each([
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","method":"notifications/message"}',
  '{"id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"result":{}} was sent',
  '{"jsonrpc":"2.0","id":1,"result":{}',
])("what only may be one behind other text is noise: %s", (text) => {
  expect(frame(`log: ${text}\n`)).toMatchObject([{ noise: `log: ${text}` }]);
});

test("messages come with their exact text", () => {
  const one = '{"jsonrpc":"2.0","id":1,"result":{"big":12345678901234567890, "u":"\\u00e9é😀"}}';
  expect(frame(`${one}\r\n\n  ${reply(2)} \n${reply(3)}`)).toEqual([
    { message: JSON.parse(one), text: one },
    { message: JSON.parse(reply(2)), text: reply(2) },
    { message: JSON.parse(reply(3)), text: reply(3) },
  ]);
});

test("a BOM, CRLF and blank lines are no noise", () => {
  expect(brief(frame(`\uFEFF${reply(1)}\r\n\r\n\n \t\n${reply(2)}\r\n`))).toEqual([1, 2]);
});

test("other lines are noise, between and after messages", () => {
  const noise = [
    "Server v1.0",
    "[db] connected",
    "42",
    '"x"',
    "{}",
    "[]",
    "--- start ---",
    "[[{}]]",
    "1: x",
    "{oops}",
    "null",
    "[INFO starting",
  ];
  const input = [reply(1), ...noise.flatMap((line, index) => [line, reply(index + 2)])].join("\n");
  expect(brief(frame(input))).toEqual([1, ...noise.flatMap((line, index) => [line, index + 2])]);
});

test("a long line of noise is clipped", () => {
  const [noise] = frame("x".repeat(5000));
  expect(noise).toEqual({ noise: `${"x".repeat(200)}…`, reason: "not JSON", lines: 1 });
});

test("batches give their elements; empty and nested ones are noise", () => {
  const batch = `[${reply(1)}, {"jsonrpc":"2.0","id":7,"result":12345678901234567890}, {"jsonrpc":"2.0","method":"n"},5]`;
  const framed = frame(`${batch}\n[]\n[[${reply(2)}]]\n${reply(3)}`);
  expect(brief(framed)).toEqual([1, 7, "n", batch, "[]", `[[${reply(2)}]]`, 3]);
  expect(framed[0]).toMatchObject({ text: reply(1) });
  expect(framed[1]).toMatchObject({
    text: '{"jsonrpc":"2.0","id":7,"result":12345678901234567890}',
  });
});

test("what is odd about a message is said with it", () => {
  expect(frame('{"id":1,"result":{}}')).toMatchObject([
    { message: { id: 1 }, odd: "no jsonrpc member" },
  ]);
});

describe("JSON over several lines", () => {
  const pretty = JSON.stringify(
    { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: 'a "}{" b' }], n: [] } },
    null,
    2,
  );

  test("is put together, its text on one line", () => {
    const [framed, ...rest] = frame(`${pretty}\n${reply(2)}\n`);
    if (framed === undefined || !("text" in framed)) throw new Error("no message");
    expect(JSON.parse(framed.text)).toEqual(JSON.parse(pretty));
    expect(framed.text).not.toContain("\n");
    expect(brief(rest)).toEqual([2]);
  });

  test("with CRLF, tabs, a batch, and without a last newline", () => {
    const batch = JSON.stringify([JSON.parse(reply(3)), JSON.parse(reply(4))], null, "\t");
    expect(brief(frame(`${pretty.replaceAll("\n", "\r\n")}\r\n${batch}`))).toEqual([1, 3, 4]);
  });

  test("does not swallow messages and log lines in between", () => {
    const lines = pretty.split("\n");
    lines.splice(3, 0, reply(2), "[log] in between", "");
    expect(brief(frame(lines.join("\n")))).toEqual([2, "[log] in between", 1]);
  });

  test("that never ends is noise, and costs no message behind it", () => {
    expect(brief(frame(`{\n  "a": [\n${reply(1)}\n${pretty}\n${reply(2)}`))).toEqual([
      1,
      "{",
      1,
      2,
    ]);
    expect(frame('{\n"a": 1,\n')).toEqual([{ noise: "{", reason: "unfinished JSON", lines: 2 }]);
  });

  test("that is no message is noise", () => {
    expect(frame('{\n"a": 1\n}\n')).toEqual([
      { noise: "{", reason: "not a JSON-RPC message", lines: 3 },
    ]);
  });

  test("is bounded", () => {
    const long = `{\n${'"a": 1,\n'.repeat(100)}`;
    const framed = frame(`${long}${reply(1)}\n`, { lineBytesMax: 200 });
    expect(brief(framed)).toContain(1);
    expect(framed[0]).toMatchObject({ noise: "{", reason: "JSON without an end" });
  });

  test.each([
    ["lines", "1,\n", 100_001],
    ["length", `"${"x".repeat(99_997)}",\n`, 43],
  ])("is given up early by its %s, however long a line may be", (_, line, lines) => {
    const framing = new Framing({ lineBytesMax: 64 * 1024 * 1024 });
    framing.feed(encoder.encode("[\n"));
    const chunk = encoder.encode(line.repeat(Math.ceil(200_000 / line.length)));
    let first: Framed | undefined;
    for (let fed = 0; fed < 6_000_000; fed += chunk.length) first ??= framing.feed(chunk)[0];
    expect(first).toEqual({ noise: "[", reason: "JSON without an end", lines });
    expect(framing.heldLines).toBe(0);
    expect(brief(framing.feed(encoder.encode(`${reply(1)}\n`)))).toEqual([1]);
  });
});

const withHeader = (body: string, newline = "") =>
  `Content-Length: ${encoder.encode(body).length}\r\n\r\n${body}${newline}`;

describe("Content-Length headers", () => {
  test("are noise, and the body is taken by its length", () => {
    const input =
      withHeader(reply(1, "é")) +
      withHeader(reply(2)) +
      withHeader(reply(3), "\n") +
      withHeader(reply(4));
    for (const chunk of [1, 7, 1000]) {
      const out = frame(input, { chunk });
      expect(out.filter((item) => "message" in item).map((item) => brief([item])[0])).toEqual([
        1, 2, 3, 4,
      ]);
      const noise = out.filter((item) => "noise" in item);
      expect(noise).toHaveLength(4);
      expect(noise[0]).toMatchObject({ contentLength: true });
    }
  });

  test("do not wait for a newline behind the body", () => {
    const framing = new Framing({ lineBytesMax: 1000 });
    expect(brief(framing.feed(encoder.encode(withHeader(reply(1))))).at(-1)).toBe(1);
  });

  test("may come with others, and with a body over several lines", () => {
    const body = JSON.stringify(JSON.parse(reply(1, { a: 1 })), null, 2);
    const input = `content-length: ${body.length}\nContent-Type: application/json\n\n${body}`;
    const last = frame(input).at(-1);
    expect(last).toMatchObject({ message: { id: 1 } });
    expect((last as { text: string }).text).not.toContain("\n");
  });

  test("in the log of a server that writes lines take nothing away", () => {
    expect(brief(frame(`${reply(1)}\nContent-Length: 5000\n\n${reply(2)}\n${reply(3)}\n`))).toEqual(
      [1, "Content-Length: 5000", 2, 3],
    );
  });
});

const over = (text: string) =>
  frame(`${text}\n${reply(9)}\n`, { lineBytesMax: 10_000, chunk: 3000 });

describe("too long a line", () => {
  const long = "x".repeat(20_000);

  test.each([
    [`{"jsonrpc":"2.0","id":5,"result":{"t":"${long}"}}`, 5],
    [`{"result":{"id":7,"t":"${long}"},"jsonrpc":"2.0","id":"a"}`, "a"],
    [`{"result":{"t":"${long}"},"id":6,"jsonrpc":"2.0"}`, 6],
    [`{"result":{"t":"${long}","id":6}}`, null],
  ])(
    "is told with its id where it can be made out, and the next message is there: %#",
    (text, id) => {
      const framed = over(text);
      expect(brief(framed)).toEqual([{ oversize: id }, 9]);
      expect(framed[0]).toEqual({
        oversize: { bytes: text.length, bytesMax: 10_000, ...(id !== null && { id }) },
      });
    },
  );

  test("that is a call is told as one", () => {
    expect(over(`{"jsonrpc":"2.0","id":5,"method":"m","params":"${long}"}`)[0]).toMatchObject({
      oversize: { call: true },
    });
  });

  test("of noise is noise", () => {
    expect(over(long)).toMatchObject([{ reason: "a line of 20000 bytes" }, { message: { id: 9 } }]);
  });
});

test("a message that is no JSON is told with its id, so that its request need not wait", () => {
  const lines = [
    '{"jsonrpc":"2.0","id":5,"result":{"x":NaN}}',
    '{"result":{"x":"raw\u0001"},"jsonrpc":"2.0","id":"a"}',
    '{"jsonrpc":"2.0","id":6,"result":{"text":"cut',
    '{"id":7,"x":NaN}',
    '{"jsonrpc":"2.0","id":"cut","result":[',
    reply(8),
  ];
  expect(brief(frame(`${lines.join("\n")}\n`))).toEqual([
    { oversize: 5 },
    { oversize: "a" },
    { oversize: 6 },
    lines[3],
    { oversize: "cut" },
    8,
  ]);
});

test("why it is none is said, as far as the parser knows", () => {
  const [framed] = frame('{"jsonrpc":"2.0","id":5,"result":{"x":NaN}}\n');
  expect(framed).toMatchObject({
    oversize: { id: 5, reason: 'is not valid JSON: Unexpected identifier "NaN"' },
  });
});

const log = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a }{ b\\""}}';

describe("several messages on one line", () => {
  test.each(["", " ", "\r", "\0", "\u001e", "\t \0"])("with %j between them", (between) => {
    const line = [reply(1), log, reply(2, "é{")].join(between) + between;
    for (const chunk of [1, 50, 10_000])
      expect(frame(`${line}\n${reply(3)}\n`, { chunk })).toEqual([
        { message: JSON.parse(reply(1)), text: reply(1) },
        { message: JSON.parse(log), text: log },
        { message: JSON.parse(reply(2, "é{")), text: reply(2, "é{") },
        { message: JSON.parse(reply(3)), text: reply(3) },
      ]);
  });

  test("of which one is broken, or cut", () => {
    const broken = '{"jsonrpc":"2.0","id":2,"result":NaN}';
    expect(brief(frame(`${reply(1)}${broken}${reply(3)}\n`))).toEqual([1, { oversize: 2 }, 3]);
    const cut = '{"jsonrpc":"2.0","id":2,"result":"';
    expect(brief(frame(`${reply(1)}${cut}\n${reply(3)}\n`))).toEqual([1, { oversize: 2 }, 3]);
  });

  test("behind a NUL", () => {
    expect(brief(frame(`${reply(1)}\n\0${reply(2)}\n`))).toEqual([1, 2]);
  });

  test("with a log text behind, or between", () => {
    expect(brief(frame(`${reply(1)} done\n${reply(2)}[log] ${reply(3)}\n`))).toEqual([
      1,
      "done",
      2,
      `[log] ${reply(3)}`,
      3,
    ]);
    expect(brief(frame(`${reply(1)}}\n${reply(2)}\n`))).toEqual([1, "}", 2]);
  });

  test("behind a JSON log", () => {
    expect(brief(frame(`{"level":30}${reply(1)}\n{"level":30} {"a":1}\n`))).toEqual([
      '{"level":30}',
      1,
      '{"level":30} {"a":1}',
    ]);
  });
});

function unended(text: string) {
  const framing = new Framing({ lineBytesMax: 1000 });
  return { framing, out: brief(framing.feed(encoder.encode(text))) };
}

describe("a message without a newline", () => {
  test.each([reply(1), `${reply(1)}\r`, `${reply(1)}\0`, `${reply(1)}${log}`])(
    "is taken where it is whole: %j",
    (text) => {
      const { framing, out } = unended(text);
      expect(out).toEqual([]);
      expect(framing.mayBeWhole).toBe(true);
      expect(brief(framing.early())[0]).toBe(1);
      expect(framing.mayBeWhole).toBe(false);
      expect(brief(framing.feed(encoder.encode(`${reply(2)}\n`)))).toEqual([2]);
    },
  );

  test("waits where it is not, and is looked at once", () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"a":{}';
    const { framing } = unended(text);
    expect(framing.mayBeWhole).toBe(true);
    expect(framing.early()).toEqual([]);
    expect(framing.mayBeWhole).toBe(false);
    expect(brief(framing.feed(encoder.encode("}}")))).toEqual([]);
    expect(brief(framing.early())).toEqual([1]);
  });

  test.each(["{}", '{"a":1}', "x}", `{"a":1}${reply(1)}`, `${reply(1)}{"id":2}`])(
    "is one, and nothing else: %j",
    (text) => {
      const { framing } = unended(text);
      expect(framing.early()).toEqual([]);
      expect(brief(framing.feed(encoder.encode("\n"))).length).toBeGreaterThan(0);
    },
  );

  test("nor does the middle of a printed value count, or a body of known length", () => {
    expect(unended('{\n"a": {"jsonrpc":"2.0","id":1,"result":{}}').framing.mayBeWhole).toBe(false);
    expect(unended("Content-Length: 50\r\n\r\n{}").framing.mayBeWhole).toBe(false);
  });
});

const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));

test("UTF-16 is called so, and shown without its NULs", () => {
  const reason = "UTF-16, where UTF-8 belongs";
  expect(frame(utf16(`${reply(1)}\n${reply(2)}\n`)).slice(0, 2)).toMatchObject([
    { noise: reply(1), reason },
    { noise: reply(2), reason },
  ]);
  expect(frame(utf16(`\uFEFF${reply(1)}\n`))[0]).toMatchObject({ reason });
});

test("invalid UTF-8 becomes U+FFFD and harms nothing", () => {
  const [head, tail] = ['{"jsonrpc":"2.0","id":1,"result":"', '"}\n'].map((text) =>
    encoder.encode(text),
  );
  const bytes = new Uint8Array([
    ...head!,
    0xff,
    0xc3,
    0xed,
    0xa0,
    0x80,
    ...tail!,
    0xff,
    0xfe,
    10,
    ...encoder.encode(reply(2)),
  ]);
  const framed = frame(bytes, { chunk: 1 });
  expect(framed[0]).toMatchObject({ message: { id: 1 } });
  expect(framed[1]).toMatchObject({ noise: "\uFFFD\uFFFD" });
  expect(framed[2]).toMatchObject({ message: { id: 2 } });
});

test.each([[10_000], [100_000]])(
  "%i levels of JSON harm nothing, and the next message is there",
  (levels) => {
    const open = "[".repeat(levels);
    const deep = open + "]".repeat(levels);
    const next = (text: string) => brief(frame(`${text}\n${reply(2)}\n`));
    expect(next(`{"jsonrpc":"2.0","id":1,"result":${deep}}`)).toEqual([1, 2]);
    expect(next(`{"jsonrpc":"2.0","id":1,"result":${open}`)).toEqual([{ oversize: 1 }, 2]);
    expect(next(`[${reply(1)},${deep}]`).at(-1)).toBe(2);
    for (const text of [deep, open, '{"a":'.repeat(levels)]) expect(next(text).at(-1)).toBe(2);
  },
);

test("a message that was cut by the end of the process is noise: how that ended says more", () => {
  for (const text of [
    '{"jsonrpc":"2.0","id":6,"result":{"text":"cut',
    '{"jsonrpc":"2.0","id":6,"result":[',
  ])
    expect(frame(text)).toMatchObject([{ noise: text, lines: 1 }]);
});

test("how the bytes are cut makes no difference", () => {
  const piece = fc.oneof(
    fc.integer({ min: 0, max: 99 }).map((id) => `${reply(id, "é😀\u2028")}\n`),
    fc
      .integer({ min: 0, max: 99 })
      .map((id) => `${JSON.stringify(JSON.parse(reply(id, [{}, []])), null, 2)}\n`),
    fc
      .integer({ min: 0, max: 99 })
      .map((id) => `Content-Length: ${reply(id).length}\r\n\r\n${reply(id)}`),
    fc.constantFrom(
      "[db] up\n",
      "\r\n",
      "{}\n",
      "{\n",
      "\n",
      '"a": 1\n',
      `[${reply(1)}, 5]\n`,
      "x".repeat(6000),
    ),
    fc.string().map((text) => `${text}\n`),
  );
  const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 400 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), cuts, (pieces, sizes) => {
      const bytes = encoder.encode(pieces.join(""));
      const framing = new Framing({ lineBytesMax: 5000 });
      const out: Framed[] = [];
      for (let at = 0; at < bytes.length;) {
        const size = sizes.next().value as number;
        out.push(...framing.feed(bytes.slice(at, at + size)));
        at += size;
      }
      out.push(...framing.end());
      expect(out).toEqual(frame(bytes, { lineBytesMax: 5000 }));
    }),
  );
});

test("any bytes at all harm nothing", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      (bytes) => void frame(bytes, { chunk: 7, lineBytesMax: 50 }),
    ),
  );
});
