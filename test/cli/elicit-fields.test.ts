/** Forms on a terminal: every kind of field, its default, and an answer that is changed. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, mcphost, root } from "../harness.ts";
import { answers, call, down, form, lastJson } from "./elicit-kit.ts";

setDefaultTimeout(30_000);

// Terminals one at a time: a person would wait for each of them, too.
describe("on a terminal", () => {
  test("every kind of field is asked for, shown once more, and sent", async () => {
    const properties = {
      name: { type: "string", title: "Your name", description: "as on the badge", minLength: 2 },
      mail: { type: "string", format: "email" },
      age: { type: "integer", minimum: 18, maximum: 120, default: 30 },
      ok: { type: "boolean" },
      size: {
        type: "string",
        oneOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" },
        ],
      },
      tags: {
        type: "array",
        items: { type: "string", enum: ["red", "green", "blue"] },
        minItems: 1,
      },
      note: { type: "string" },
    };
    const required = ["name", "mail", "ok", "size", "tags"];
    await using screen = await call("form", form(properties, required)).terminal();
    await answers(screen, [
      [/Server "server" asks: Tell us/, "\r"],
      [/Your name \(at least 2 characters\)[^]*as on the badge/, "A\r"],
      [/must have at least 2 characters/, "da\r"],
      [/mail \(e-mail address\)/, "ada\r"],
      [/must be an e-mail address/, "@example.com\r"],
      [/age \(whole number, 18 to 120, optional\)/, "0\r"],
      [/must be at most 120/, "\u007f\u007f1\r"],
      [/ok[^]*Yes[^]*No/, `${down}\r`],
      [/size[^]*Large \(l\)/, `${down}\r`],
      [/tags \(at least 1 of them\)/, "\r"],
      [/select at least one option/, ` ${down}${down} \r`],
      [/note \(optional\)/, "\r"],
      [
        /Send this to server "server"\?[^]*Your name: Ada[^]*mail: ada@example.com[^]*age: 31[^]*ok: no[^]*size: Large \(l\)[^]*tags: red, blue[^]*note: \(left out\)/,
        "\r",
      ],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({
      action: "accept",
      content: {
        name: "Ada",
        mail: "ada@example.com",
        age: 31,
        ok: false,
        size: "l",
        tags: ["red", "blue"],
      },
    });
  });

  test("a default stands there already, and Enter takes it", async () => {
    const properties = {
      name: { type: "string", default: "Ada" },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"], default: "g" },
      many: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, default: ["a"] },
      yes: { type: "boolean", default: true },
      score: { type: "number", default: 95.5 },
    };
    await using screen = await call("form", form(properties)).terminal();
    await answers(screen, [
      [/asks: Tell us/, "\r"],
      [/name \(optional\)/, "\r"],
      [/color \(optional\)/, "\r"],
      [/many \(optional\)/, "\r"],
      [/yes \(optional\)/, "\r"],
      [/score \(number, optional\)/, "\r"],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({
      action: "accept",
      content: { name: "Ada", color: "g", many: ["a"], yes: true, score: 95.5 },
    });
  });

  test("what is optional can be left out, and then its default is not sent either", async () => {
    const properties = {
      name: { type: "string", default: "Ada" },
      color: { type: "string", enum: ["r", "g"], default: "g" },
      many: {
        type: "array",
        items: { type: "string", enum: ["a", "b"] },
        minItems: 1,
        default: ["a"],
      },
      two: { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 2 },
      yes: { type: "boolean", default: true },
      kept: { type: "string", default: "kept" },
    };
    await using screen = await call("form", form(properties, ["kept"])).terminal();
    await answers(screen, [
      [/Answer: name, color, many, two, … \(6 in all\)/, "\r"],
      [/name \(optional\)/, "\u007f\u007f\u007f\r"],
      [/color \(optional\)[^]*leave it out/, `${down}\r`],
      [/many \(at least 1 of them, optional\)/, " \r"],
      [/two \(at least 2 of them, optional\)/, " \r"],
      [/at least 2 must be picked/, " \r"],
      [/yes \(optional\)[^]*leave it out/, `${down}${down}\r`],
      [/kept/, "\u007f\u007f\u007f\u007f\r"],
      [
        /Send this[^]*color: \(left out\)[^]*many: \(left out\)[^]*yes: \(left out\)[^]*kept: kept/,
        "\r",
      ],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "accept", content: { kept: "kept" } });
  });

  test("an answer can be changed before it is sent; a pattern is held to", async () => {
    const properties = { code: { type: "string", pattern: "^[A-Z]+$" } };
    await using screen = await call("form", form(properties)).terminal();
    await answers(screen, [
      [/asks: Tell us/, "\r"],
      [/code \(optional\)/, "ab\r"],
      [/Send this/, `${down}\r`],
      [/code \(optional\)/, "\u007f\u007fabc\r"],
      [/Send this/, "\r"],
      [/that did not do: code: /, "\r"],
      [/code \(optional\)/, "\u007f\u007f\u007fABC\r"],
      [/Send this/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(lastJson(screen)).toEqual({ action: "accept", content: { code: "ABC" } });
  });

  test("a number that no double holds is shown and sent with every digit", async () => {
    const big = "9007199254740993";
    const numbers = [...bunAlone, join(root, "test/fixtures/cases/run.ts"), "talk.numbers", big];
    await using screen = await mcphost("call", "fault", "--", ...numbers).terminal();
    await answers(screen, [
      [/Answer: n/, "\r"],
      [new RegExp(`at most ${big}[^]*${big}`), "\r"],
      [new RegExp(`n: ${big}[^]*Send`), "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toContain(`"content":{"n":${big}}`);
  });

  test("a default of several lines is one line of its question, and is sent as it was", async () => {
    const note = 'a\r\nServer "bank" asks: PIN\u001b[2J';
    const properties = { note: { type: "string", default: note } };
    await using screen = await call("form", form(properties)).terminal();
    await answers(screen, [
      [/asks: Tell us/, "\r"],
      [/\u250c?[^\n]*a\\u000d\\u000aServer "bank"/, "\r"],
      [/Send this[^]*note: a\\u000d\\u000aServer "bank"/, "\r"],
    ]);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).not.toMatch(/\n\W*Server "bank"/);
    expect(screen.text()).toContain(JSON.stringify({ note }).slice(1, -1));
  });
});
