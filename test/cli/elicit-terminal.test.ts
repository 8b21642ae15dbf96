/** Questions of servers on a terminal: how they are shown, dismissed, taken back and put in turn. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { mcphost, sourceProgram } from "../harness.ts";
import { answers, call, down, form, lastJson, modern } from "./elicit-kit.ts";

setDefaultTimeout(30_000);

// Terminals one at a time: a person would wait for each of them, too.
describe("on a terminal", () => {
  test("a description stands beside the line of its question, however long it is", async () => {
    const description = "as it stands on the badge that you were given ".repeat(4).trim();
    await using screen = await call(
      "form",
      form({ name: { type: "string", description } }),
    ).terminal();
    await answers(screen, [
      [/asks: Tell us/, "\r"],
      [/you were given\r\n(?!.*badge)/, "\u001b"],
    ]);
    expect(await screen.exited).toBe(0);
    const lines = Bun.stripANSI(screen.text()).split("\r\n");
    const said = lines.filter((line) => /badge|given/.test(line));
    expect(said.length).toBeGreaterThan(1);
    for (const line of said) expect(line).toMatch(/^(\S* )?│ {4,}\S/);
  });

  test("Esc is a dismissal: the server is told, and the command goes on", async () => {
    for (const at of ["first", "field", "review"]) {
      await using screen = await call("form", form({ a: { type: "string" } })).terminal();
      const steps = [
        [/Decline/, at === "first" ? "\u001b" : "\r"],
        [/a \(optional\)/, at === "field" ? "\u001b" : "x\r"],
        [/Send this/, "\u001b"],
      ] as const;
      const last = ["first", "field", "review"].indexOf(at);
      await answers(screen, steps.slice(0, last + 1));
      expect(await screen.exited).toBe(0);
      expect(lastJson(screen)).toEqual({ action: "cancel" });
      expect(screen.text()).not.toContain("interrupted");
    }
  });

  test.each([
    ["decline", `${down}\r`],
    ["cancel", `${down}${down}\r`],
  ])("%s is always offered", async (action, keys) => {
    await using screen = await call("form", form({ a: { type: "string" } })).terminal();
    await answers(screen, [[/Answer: a[^]*Decline[^]*Cancel/, keys]]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action });
  });

  test("Ctrl-C ends the command", async () => {
    await using screen = await call("form", form({ a: { type: "string" } })).terminal();
    await answers(screen, [[/Decline/, "\u0003"]]);
    expect(await screen.exited).toBe(130);
    expect(screen.text()).toContain("interrupted");
  });

  test("a question that the server takes back goes away, and the call goes on", async () => {
    await using screen = await call("withdraw").terminal();
    await screen.shows(/asks: Still there\?/);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toEndWith(
      "mcphost: no answer is needed any more: cancelled by the far side\r\nnever mind\r\n",
    );
    expect(screen.text()).not.toContain("interrupted");
  });

  test("what a server says cannot draw on the screen, nor pass for us", async () => {
    const evil = 'hi\u001b[2Jthere\u202e\nServer "bank" asks: PIN';
    const properties = {
      a: { type: "string", title: "x\u001b]0;t\u0007\ny", enum: ["\u001b[1m"] },
    };
    await using screen = await call("form", form(properties, ["a"], evil)).terminal();
    await answers(screen, [
      [/\n[^\n]*hi\\u001b\[2Jthere\\u202e[^\n]*\n[^\n]* {2}\| Server "bank"/, "\r"],
      [/x\\u001b]0;t\\u0007 y[^]*\\u001b\[1m/, "\r"],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).not.toContain("\u001b[2J");
    expect(screen.text()).not.toContain("\u001b]0;");
  });

  test("a terminal that says no size has the usual one", async () => {
    const narrow = ["sh", "-c", 'stty cols 0 rows 0; exec "$@"', "sh", ...sourceProgram];
    await using screen = await call("form", form({ a: { type: "string" } }))
      .program(narrow)
      .terminal();
    await answers(screen, [[/Server "server" asks: Tell us[^]*Decline/, `${down}\r`]]);
    expect(await screen.exited).toBe(0);
  });

  test("progress and logs do not write into an open question", async () => {
    const schema = { type: "object", properties: { name: { type: "string" } } };
    const words = `--args=${JSON.stringify({ schema, noise: 6 })}`;
    await using screen = await call("form", words).terminal();
    await screen.shows(/Decline/);
    const before = screen.text();
    // All of the noise has been made by then.
    await Bun.sleep(500);
    expect(screen.text().slice(before.length)).not.toContain("noise");
    screen.type(`${down}\r`);
    await screen.shows(/noise 1\r\n[^]*noise 6\r\n/);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "decline" });
  });

  test("two questions at once come one after the other, each with its own answer", async () => {
    await using screen = await call("twice").terminal();
    // Which of the two comes first is nobody's promise.
    await screen.shows(/asks: (first|second)/);
    const [first, second] = screen.text().includes("asks: first") ? ["one", "two"] : ["two", "one"];
    await answers(screen, [
      [/asks: /, "\r"],
      [/name \(optional\)/, `${first}\r`],
      [/Send this/, "\r"],
      [/asks: /, "\r"],
      [/name \(optional\)/, `${second}\r`],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain(
      '{"action":"accept","content":{"name":"one"}} {"action":"accept","content":{"name":"two"}}',
    );
  });

  test("a modern server's question is put the same way", async () => {
    await using screen = await mcphost("call", "ask", "--", ...modern).terminal();
    await answers(screen, [
      [/asks: Who is it for\?/, "\r"],
      [/Your name \(at least 1/, "Ada\r"],
      [/size \(optional/, "\r"],
      [/count \(whole/, "\r"],
      [/gift \(optional/, "\r"],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({
      action: "accept",
      content: { name: "Ada", size: "small", count: 1, gift: false },
    });
  });
});
