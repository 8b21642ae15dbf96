/** The doctor's diagnosis of command lines: containers, ssh, npx, and variables that no shell will expand. */
import { describe, expect, test } from "bun:test";

import type { Examination } from "../../lib/cli/doctor-types.ts";
import { diagnose } from "../../lib/cli/doctor.ts";
import { codes, failed, silent, started, well } from "./doctor-kit.ts";

function withLine(line: string, more: Partial<Examination> = {}): Examination {
  const [command = "", ...args] = line.split(" ");
  return { ...well, started: { ...started, command, args }, ...more };
}

describe("the doctor's diagnosis", () => {
  test("a container's stdin and terminal", () => {
    for (const line of [
      "docker run image",
      "docker run --rm -e A=b -v /x:/y image -i",
      "podman run --name x image",
      "docker run --interactive=false image",
      "env A=b docker run image",
      "/usr/bin/docker --context c run --rm image",
    ])
      expect([line, ...codes(withLine(line))]).toEqual([line, "docker-no-i"]);
    for (const line of [
      "docker run -i image",
      "docker run --rm -i image",
      "docker run -e A -i --rm image",
      "docker run --env=A --interactive image",
      "docker run --rm --init -v /x:/y -di image",
      "docker ps",
      "docker compose up",
    ])
      expect([line, ...codes(withLine(line))]).toEqual([line]);
    expect(codes(withLine("docker run -it image"))).toEqual(["terminal"]);
    expect(codes(withLine("docker run --rm -t image"))).toEqual(["docker-no-i", "terminal"]);
    expect(diagnose(withLine("docker run image", silent)).findings[0]?.level).toBe("error");
  });

  test("ssh and npx", () => {
    expect(codes(withLine("ssh host server"))).toEqual([]);
    expect(codes(withLine("ssh -t host server"))).toEqual(["terminal"]);
    expect(codes(withLine("ssh -tt host server -t"))).toEqual(["terminal"]);
    expect(codes(withLine("ssh host server -t"))).toEqual([]);
    const stuck = (line: string) => codes({ ...silent, started: withLine(line).started! });
    expect(stuck("ssh host server")).toEqual(["ssh-prompt", "silent"]);
    expect(stuck("ssh -o BatchMode=yes host server")).toEqual(["silent"]);
    expect(stuck("npx server")).toEqual(["npx-no-y", "silent"]);
    expect(stuck("npm exec server")).toEqual(["npx-no-y", "silent"]);
    expect(stuck("npx server -y")).toEqual(["npx-no-y", "silent"]);
    expect(stuck("npx -y server")).toEqual(["silent"]);
    expect(codes(withLine("npx server"))).toEqual([]);
    const ended = failed({ exitCode: 1 });
    expect(codes({ ...ended, started: withLine("npx server").started! })).toEqual(["exits"]);
  });

  test("variables that no shell will expand", () => {
    for (const line of ["server $HOME/x", "server ${ROOT}/x", "server --path=%USERPROFILE%"])
      expect([line, ...codes(withLine(line))]).toEqual([line, "unexpanded"]);
    for (const line of ["server a$b 5$ %d", "sh -c $HOME"])
      expect([line, ...codes(withLine(line))]).toEqual([line]);
  });
});
