/** Where editors and agents keep the servers that they know, for whoever has none here. */
import { readDocument } from "./document.ts";
import { readText } from "./files.ts";
import { joinPath } from "./paths.ts";

/** The first of their files that has servers, in this folder or at home; undefined where there is none. */
export async function editorConfig(
  cwd: string,
  home: string | undefined,
): Promise<string | undefined> {
  const files = [
    ...inProjects.map((name) => joinPath(cwd, name)),
    ...(home === undefined ? [] : atHome.map((name) => joinPath(home, name))),
  ];
  for (const file of files) if (await hasServers(file, cwd)) return file;
  return undefined;
}

// --- internal ---

const inProjects = [
  ".cursor/mcp.json",
  ".vscode/mcp.json",
  ".roo/mcp.json",
  ".junie/mcp/mcp.json",
  ".gemini/settings.json",
  ".codex/config.toml",
  ".zed/settings.json",
  ".amp/settings.json",
  "opencode.json",
];

const atHome = [
  ".cursor/mcp.json",
  ".claude.json",
  ".config/Claude/claude_desktop_config.json",
  "Library/Application Support/Claude/claude_desktop_config.json",
  ".config/Code/User/mcp.json",
  "Library/Application Support/Code/User/mcp.json",
  ".codeium/windsurf/mcp_config.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".config/zed/settings.json",
  ".config/amp/settings.json",
  ".config/goose/config.yaml",
  ".config/opencode/opencode.json",
  ".continue/config.yaml",
  ".copilot/mcp-config.json",
  ".lmstudio/mcp.json",
];

/** What cannot be read is no help. */
async function hasServers(file: string, cwd: string): Promise<boolean> {
  try {
    if (!(await Bun.file(file).exists())) return false;
    const text = await readText(file);
    const origin = { file, label: file, kind: "named" } as const;
    return text !== undefined && readDocument(text, origin, cwd).servers.size > 0;
  } catch {
    return false;
  }
}
