/** Configs of a server that writes down what it hears. */
import { join } from "node:path";

import { bunAlone, mcphost, root, type TempDir } from "../harness.ts";

const staged = join(root, "test/fixtures/servers/staged.ts");

const [bun = "", ...flags] = bunAlone;

/** The entry of a server of an era, which does something odd before it answers at a stage. */
export function entry(home: TempDir, era = "legacy", stage = "none", what = "none") {
  return { command: bun, args: [...flags, staged, home.file("heard"), era, stage, what] };
}

/** A call by a config of that text: how it ended, and what the server has heard. */
export async function call(home: TempDir, text: string, ...words: string[]) {
  await Bun.write(home.file("mcp.json"), text);
  const [tool = "echo", ...more] = words;
  const run = await mcphost("call", tool, "message=hi", "-c", home.file("mcp.json"), ...more)
    .home(home.path)
    .run();
  const { code, stdout, stderr } = run;
  const file = Bun.file(home.file("heard"));
  const heard = (await file.exists()) ? await file.text() : "";
  if (heard !== "") await file.delete();
  return { code, stdout, stderr: stderr.replaceAll(home.path, "HOME"), heard };
}

/** The config of one server. */
export function configOf(server: object): string {
  return JSON.stringify({ mcpServers: { bench: server } });
}
