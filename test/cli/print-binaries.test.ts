/** Binaries of a result: named in a line, kept by `-o` and `--save`. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";

import { nameOf } from "../../lib/cli/print.ts";
import { decode, endingOf } from "../../lib/cli/save.ts";
import { tempDir } from "../harness.ts";
import { print } from "./print-kit.ts";

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 255]);

const image = { type: "image", data: png.toBase64(), mimeType: "image/png" };

describe("binaries", () => {
  const withImage = JSON.stringify({ content: [{ type: "text", text: "look" }, image] });

  test("are named in one line", async () => {
    const { stdout, stderr } = await print(withImage);
    expect(stdout).toBe("look\n");
    expect(stderr).toBe("[image image/png, 10 bytes: not shown; -o FILE or --save DIR keeps it]\n");
    expect((await print(withImage, { quiet: true })).stderr).toBe("");
    // As many languages break base64 into lines.
    const broken = { ...image, data: image.data.replaceAll(/.{4}/g, "$&\n") };
    expect((await print(JSON.stringify({ content: [broken] }))).stderr).toBe(
      "[image image/png, 10 bytes: not shown; -o FILE or --save DIR keeps it]\n",
    );
    const resource = {
      uri: `x:///\n${"y".repeat(5000)}`,
      mimeType: "a/b\nmcphost: all is well",
      blob: "AAAA",
    };
    const odd = await print(JSON.stringify({ content: [{ type: "resource", resource }] }));
    expect(odd.stderr).toMatch(
      /^\[binary a\/b mcphost: all is well x:\/\/\/ y+…, 3 bytes: [^\n]*\]\n$/,
    );
    expect(odd.stderr.length).toBeLessThan(1000);
  });

  test("-o keeps the one binary, byte for byte, and the text is printed", async () => {
    await using dir = await tempDir();
    const printed = await print(withImage, { output: "x.png", cwd: dir.path });
    expect(printed).toEqual({ stdout: "look\n", stderr: "" });
    expect(await Bun.file(dir.file("x.png")).bytes()).toEqual(png);
  });

  test("-o - writes the bytes to stdout", async () => {
    const raw = JSON.stringify({ content: [image] });
    expect((await print(raw, { output: "-" })).stdout).toBe(new TextDecoder("latin1").decode(png));
  });

  test("-o keeps a text without a newline added", async () => {
    await using dir = await tempDir();
    const raw = '{"content":[{"type":"text","text":"a"},{"type":"text","text":"é"}]}';
    expect(await print(raw, { output: "f", cwd: dir.path })).toEqual({ stdout: "", stderr: "" });
    expect(await Bun.file(dir.file("f")).text()).toBe("a\né");
    await print('{"content":[]}', { output: "f", cwd: dir.path });
    expect(await Bun.file(dir.file("f")).text()).toBe("");
  });

  test("-o with several binaries, with bad base64, or where nothing can be written: output", async () => {
    await using dir = await tempDir();
    const two = JSON.stringify({ content: [image, image] });
    const bad = JSON.stringify({ content: [{ ...image, data: "%%%" }] });
    const one = JSON.stringify({ content: [image] });
    for (const [raw, output] of [
      [two, "f"],
      [bad, "f"],
      [one, "/proc/none/f"],
      [one, "."],
    ] as const)
      await expect(print(raw, { output, cwd: dir.path })).rejects.toMatchObject({ code: "output" });
    expect((await print(bad)).stderr).toContain("image/png");
  });

  test("-o makes no folders, and names the one that is missing", async () => {
    await using dir = await tempDir();
    const raw = JSON.stringify({ content: [image] });
    await expect(print(raw, { output: "a/b/c", cwd: dir.path })).rejects.toMatchObject({
      code: "output",
      message: expect.stringContaining("there is no folder a/b"),
    });
    expect(await Bun.file(dir.file("a", "b", "c")).exists()).toBe(false);
  });

  test("of an error are named, too", async () => {
    const { stdout, stderr } = await print(JSON.stringify({ isError: true, content: [image] }));
    expect(stdout).toBe("");
    expect(stderr).toBe("[image image/png, 10 bytes: not shown]\n");
  });

  test("--save keeps all with the right endings, and overwrites nothing", async () => {
    await using dir = await tempDir();
    const raw = JSON.stringify({
      content: [
        image,
        { type: "audio", data: "data:audio/wav;base64,AAAA", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///../../x.pdf", blob: "AAAA" } },
        { type: "image", data: png.toBase64() },
      ],
    });
    const options = { save: "out", cwd: dir.path };
    expect((await print(raw, options)).stderr).toBe(
      "saved out/t_o_l-1.png\nsaved out/t_o_l-2.wav\nsaved out/t_o_l-3.pdf\nsaved out/t_o_l-4.png\n",
    );
    expect((await print(raw, { ...options, quiet: true })).stderr).toBe("");
    const files = await readdir(dir.file("out"));
    expect(files).toHaveLength(8);
    expect(await Bun.file(dir.file("out/t_o_l-1.png")).bytes()).toEqual(png);
  });

  test("what they are called and how they end", () => {
    const binary = { kind: "blob", base64: "AAA=", mimeType: undefined, uri: "x:y" } as const;
    expect(nameOf(binary)).toBe("binary x:y, 2 bytes");
    expect(decode({ ...binary, base64: "-_-_" })).toEqual(new Uint8Array([251, 255, 191]));
    const none = new Uint8Array();
    expect(endingOf({ mimeType: "IMAGE/JPEG; q=1", uri: undefined }, none)).toBe(".jpg");
    expect(endingOf({ mimeType: "x/unknown", uri: "a/b.tar?x=1" }, none)).toBe(".tar");
    expect(endingOf({ mimeType: undefined, uri: "a/../../b" }, none)).toBe(".bin");
  });
});
