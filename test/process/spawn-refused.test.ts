/** Commands that cannot be started: the error says why, and what would help. */
import { describe, expect, test } from "bun:test";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { isHostError } from "../../lib/base/errors.ts";
import { folder, start } from "./help.ts";

/** Starts what cannot start, and gives the error. */
function refusal(command: string[], more: Parameters<typeof start>[1] = {}) {
  try {
    start(command, { name: "broken", ...more });
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error("it started");
}

describe("what cannot be started says why", () => {
  test("a command that is not on the server's own PATH: command, PATH and server (B080)", () => {
    const error = refusal(["sh"], { env: { PATH: "/nowhere:/else" } });
    expect(error.code).toBe("server_start");
    expect(error.message).toBe(
      'server "broken" cannot be started: the command "sh" was not found on its PATH (/nowhere:/else)',
    );
    expect(error.facts).toMatchObject({
      server: "broken",
      command: "sh",
      path: "/nowhere:/else",
      errno: "ENOENT",
    });
    expect(error.hint).toBeString();
  });

  test("a path that is not there", () => {
    const error = refusal(["/nowhere/server"]);
    expect(error.message).toContain("/nowhere/server does not exist");
    expect(error.facts.errno).toBe("ENOENT");
  });

  test("a whole command line in the place of a command", () => {
    for (const command of ["bun server.ts", "/nowhere/bun  server.ts"])
      expect(refusal([command]).hint).toContain("drop the quotes");
    for (const command of ['"sh"', "'/nowhere/sh'", '"sh -c x"'])
      expect(refusal([command]).hint).toContain("quotes are part of the name");
    for (const command of ["", " ", "sh"])
      expect(refusal([command], { env: { PATH: "/nowhere" } }).hint).not.toContain("quotes");
  });

  test("a folder to run in that is not there is told apart from a command that is not", async () => {
    const error = refusal(["sh"], { cwd: "/nowhere" });
    expect(error.message).toContain("its folder /nowhere does not exist");
    expect(error.facts).toMatchObject({ cwd: "/nowhere", command: "sh" });
    expect(refusal(["sh"], { cwd: import.meta.path }).message).toContain("is not a folder");
  });

  test("not executable, on a path and on PATH; a folder; no shebang; no interpreter (O014)", async () => {
    await using dir = await folder();
    const file = join(dir.path, "server");
    await writeFile(file, "echo hi\n", { mode: 0o644 });
    for (const error of [refusal([file]), refusal(["server"], { env: { PATH: dir.path } })]) {
      expect(error.message).toContain(`permission denied: ${file} is not executable`);
      expect(error.facts.errno).toBe("EACCES");
      expect(error.hint).toBe(`chmod +x ${file}`);
    }
    expect(refusal([dir.path]).message).toContain("is a folder");
    await chmod(file, 0o755);
    expect(refusal([file]).facts.errno).toBe("ENOEXEC");
    expect(refusal([file]).hint).toContain("#!");
    await writeFile(file, "#!/nowhere/node\n");
    expect(refusal([file]).message).toContain(`the interpreter that ${file} names is missing`);
  });

  test("NUL in command or argument is the configuration's fault", () => {
    expect(refusal(["sh", "a\0b"])).toMatchObject({ code: "config" });
    expect(refusal(["s\0h"])).toMatchObject({ code: "config" });
  });
});
