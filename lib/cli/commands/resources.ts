/** `resources [PATTERN]`: lists resources, and templates of resources, of all servers (cli.md, Commands). */
import { HostError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import type { HostResource, HostTemplate } from "../../host/feature-types.ts";
import { nameText } from "../../host/signature.ts";
import { shown, widthOf } from "../fit.ts";
import { commonFlags, serverFlags } from "../flags.ts";
import { lineOf, matching, tellNone, tellOf } from "../listing.ts";
import { openFromFlags } from "../open.ts";
import type { Command, Io, Parsed } from "../types.ts";

const command: Command = {
  name: "resources",
  description: "List resources, and templates of resources",
  example: "mcphost resources '*.md' -- npx -y @modelcontextprotocol/server-everything",
  usage: "[PATTERN] [-- COMMAND…]",
  flags: {
    PATTERN: { type: "positional", description: "a glob, or a word of a URI, name or description" },
    ...commonFlags,
    ...serverFlags,
  },
  run,
};

export default command;

// --- internal ---

type Item = HostResource | HostTemplate;

async function run(parsed: Parsed, io: Io, log: Log): Promise<number> {
  const [pattern, ...more] = parsed.positionals;
  if (more.length > 0)
    throw new HostError("usage", `resources takes one pattern, and got ${more.length + 1}`, {
      hint: "quote a glob, so that the shell does not expand it; a server's command stands behind --",
    });
  await using opened = await openFromFlags(parsed, io, log);
  const listing = await opened.host.resources({ signal: io.signal });
  const { code, failed } = await tellOf(listing, opened, { parsed, io, log });
  const items: Item[] = [...listing.resources, ...listing.templates];
  if (items.length === 0 && failed !== undefined) return failed;
  const found = pattern === undefined ? items : matching(pattern, items, { names, texts });
  if (found.length === 0 && pattern !== undefined) throw await noMatch(pattern, items);
  const several = opened.config.servers.length > 1;
  const text =
    parsed.flags["json"] === true
      ? `${JSON.stringify(found.map(jsonOf))}\n`
      : found
          .map((item) => `${lineOf(shownUri(item, several), said(item), widthOf(io))}\n`)
          .join("");
  await io.stdout.write(shown(text, io));
  if (found.length === 0) await tellNone("resources", parsed, io);
  if (parsed.flags["no-cache"] !== true) {
    const { rememberResources } = await import("../feature-cache.ts");
    for (const server of opened.config.servers) {
      const own = items.filter((item) => item.server === server.name);
      if (own.length > 0) await rememberResources(io.env, server, own);
    }
  }
  return code;
}

function uriOf(item: Item): string {
  return "uri" in item ? item.uri : item.uriTemplate;
}

/**
 * As `read` takes it; of several servers with the one that is to be asked. What is no URI, and could be taken for a line of
 * ours, is a JSON string.
 */
function shownUri(item: Item, several: boolean): string {
  const uri = uriOf(item);
  const text = several ? `${item.server}/${uri}` : uri;
  return /^[^\s\p{Cc}\p{Cf}]+$/u.test(text) ? text : nameText(text);
}

function names(item: Item): string[] {
  return [uriOf(item), item.name, `${item.server}/${uriOf(item)}`];
}

function texts({ title, description }: Item) {
  return [title, description];
}

/** What is not said by the URI itself. */
function said(item: Item): string {
  const { title, name, description, mimeType } = item;
  const label = title ?? (uriOf(item).endsWith(name) ? undefined : name);
  const size = "size" in item && item.size !== undefined ? `${item.size} bytes` : undefined;
  const isTemplate = "uriTemplate" in item ? "template" : undefined;
  const kind = [isTemplate, mimeType, size].filter((word) => word !== undefined).join(", ");
  const words = [label, description].filter((word) => word !== undefined && word !== "");
  return `${words.join(": ")}${kind === "" ? "" : `${words.length === 0 ? "" : " "}(${kind})`}`;
}

/** As the server lists it, nothing left out, and whose it is. */
function jsonOf({ server, raw }: Item): JsonObject {
  return { ...raw, server };
}

async function noMatch(pattern: string, items: readonly Item[]): Promise<HostError> {
  const { didYouMean, nearest } = await import("../../base/nearest.ts");
  const near = nearest(
    pattern,
    items.map((item) => [uriOf(item), item.name, uriOf(item).slice(-40)] as const),
  );
  const count = items.length === 1 ? "there is 1 resource" : `there are ${items.length} resources`;
  return new HostError("usage", `no resource matches ${JSON.stringify(pattern)}`, {
    facts: { pattern, nearest: near, resources: items.length },
    hint: didYouMean(near) ?? count,
  });
}
