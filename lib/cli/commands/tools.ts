/** `tools [PATTERN]`: lists tools as signatures, or explains the one that is meant (cli.md, Commands). */
import { HostError } from "../../base/errors.ts";
import { withDigits } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import { redact } from "../../config/redact.ts";
import type { ServerConfig } from "../../config/types.ts";
import { wholeTool } from "../../host/host-tool.ts";
import { signatureOf } from "../../host/signature.ts";
import type { HostTool } from "../../host/types.ts";
import { shown, widthOf } from "../fit.ts";
import { commonFlags, policyFlags, serverFlags } from "../flags.ts";
import { lineOf, matching, tellNone, tellOf } from "../listing.ts";
import { openFromFlags } from "../open.ts";
import type { Opened } from "../open.ts";
import { policyText, policyWarnings } from "../policy-text.ts";
import { reachingWords } from "../reaching.ts";
import { toolHelp } from "../tool-help.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "tools",
  description: "List tools as signatures; with one match, explain it",
  example: "mcphost tools 'get-*' -- npx -y @modelcontextprotocol/server-everything",
  usage: "[PATTERN] [-- COMMAND…]",
  flags: {
    PATTERN: { type: "positional", description: "a glob, or a word of a name or description" },
    schema: { type: "boolean", description: "only the input schema of the one match" },
    policy: { type: "boolean", description: "whether each may be called, and by which rule" },
    ...commonFlags,
    ...serverFlags,
    ...policyFlags,
  },
  run,
};

export default command;

// --- internal ---

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const { flags, positionals } = parsed;
  const [pattern, ...more] = positionals;
  if (more.length > 0)
    throw new HostError("usage", `tools takes one pattern, and got ${positionals.length}`, {
      hint: "quote a glob, so that the shell does not expand it; a server's command stands behind --",
    });
  await using opened = await openFromFlags(parsed, io, log);
  const listing = await opened.host.tools({ signal: io.signal });
  const { code, failed } = await tellOf(listing, opened, { parsed, io, log });
  const { tools } = listing;
  if (tools.length === 0 && failed !== undefined) return failed;
  const found = pattern === undefined ? tools : matching(pattern, tools, { names, texts });
  if (found.length === 0 && pattern !== undefined) throw await noMatch(pattern, tools);
  const { policy, servers } = opened.config;
  const isPolicy = flags["policy"] === true;
  if (isPolicy && pattern === undefined && failed === undefined)
    for (const text of policyWarnings(policy, tools)) log({ level: "warn", text });
  const width = widthOf(io);
  const secrets = pattern === undefined ? undefined : (io.secrets ?? []);
  const text = isPolicy
    ? policyText(found, {
        judgements: await judgementsOf(found, opened, { io, log }),
        width,
        json: flags["json"] === true,
      })
    : render(found, parsed, { secrets, width });
  await io.stdout.write(shown(text, io));
  if (found.length === 0) await tellNone("tools", parsed, io);
  if (flags["no-cache"] !== true) await remember(tools, servers, io);
  return code;
}

async function judgementsOf(
  found: readonly HostTool[],
  { host, config }: Opened,
  { io, log }: { io: Io; log: Log },
) {
  const { withGrants } = await import("../policy-grants.ts");
  return await withGrants(await host.judge(found, "user"), found, { config, io, log });
}

function names({ name, server, tool }: HostTool): string[] {
  return [name, tool, `${server}.${tool}`, `${server}/${tool}`, `${server}_${tool}`];
}

function texts({ title, description }: HostTool) {
  return [title, description];
}

async function noMatch(pattern: string, tools: readonly HostTool[]): Promise<HostError> {
  const { didYouMean } = await import("../../base/nearest.ts");
  const { nearestTools, numberOf } = await import("../../host/unknown.ts");
  const { isUrl } = await import("../../config/links.ts");
  const near = nearestTools(pattern, tools);
  const other = isUrl(pattern)
    ? `a server that is reached is named by -s ${pattern}`
    : `${numberOf(tools.length)}: without a pattern all are listed`;
  return new HostError("usage", `no tool matches ${JSON.stringify(pattern)}`, {
    facts: { pattern, nearest: near, tools: tools.length },
    hint: didYouMean(near) ?? other,
  });
}

/** `secrets`: what the example must not show; undefined where nobody asked for one tool. */
function render(
  found: readonly HostTool[],
  parsed: Parsed,
  { secrets, width }: { secrets: Iterable<string> | undefined; width: number },
): string {
  const { flags } = parsed;
  const [only, ...others] = found;
  if (flags["schema"] === true) {
    if (only === undefined || others.length > 0)
      throw new HostError("usage", `--schema is for one tool, and ${found.length} match`, {
        hint: `name one of ${found
          .slice(0, 5)
          .map((tool) => tool.name)
          .join(", ")}`,
      });
    return `${JSON.stringify(withDigits(only.inputSchema), null, 2)}\n`;
  }
  if (flags["json"] === true) return `${JSON.stringify(found.map(wholeTool))}\n`;
  if (secrets !== undefined && only !== undefined && others.length === 0) {
    const hidden = reachingWords(parsed).map((word) => redact(word, secrets));
    return toolHelp(only, hidden, width);
  }
  return found
    .map(({ name, inputSchema, description, title }) => {
      return `${lineOf(signatureOf(name, inputSchema), description ?? title, width)}\n`;
    })
    .join("");
}

async function remember(
  tools: readonly HostTool[],
  servers: readonly ServerConfig[],
  io: Io,
): Promise<void> {
  const { rememberTools } = await import("../tool-cache.ts");
  for (const server of servers) {
    const own = tools.filter((tool) => tool.server === server.name);
    if (own.length > 0) await rememberTools(io.env, server, own);
  }
}
