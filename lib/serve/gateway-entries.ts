/** Entries of the gateway's lists: the names they go by, and what clients of a revision are shown of them. Pure. */
import type { JsonObject } from "../base/json.ts";
import { wholeTool } from "../host/host-tool.ts";
import type { HostTool } from "../host/types.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import { taskSupportOf } from "../protocol/tasks.ts";
import { strictEntry, strictSchema } from "./gateway-strict.ts";

/** Every name by which rules and tokens may mean something of a server. */
export function namesOf(server: string, own: string, exposed?: string): string[] {
  const names = [own, `${server}.${own}`, `${server}/${own}`];
  return exposed === undefined ? names : [...names, exposed];
}

/**
 * What several servers have is shown under a URI that names the server, too; `withServer` reads it. So is what is no URI
 * (`isFit`) where there are other servers: clients that check would refuse theirs with it.
 */
export function unique<Item extends { server: string }>(
  items: readonly Item[],
  uriOf: (item: Item) => string,
  isFit: (uri: string) => boolean = () => true,
): (item: Item) => string {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(uriOf(item), (counts.get(uriOf(item)) ?? 0) + 1);
  const isOneServer = items.every(({ server }) => server === items[0]?.server);
  return (item) => {
    const uri = uriOf(item);
    // One that looks like these would be read as one of them.
    const isTaken = (counts.get(uri) ?? 0) > 1 || uri.startsWith(sharedScheme);
    const isPlain = !isTaken && (isOneServer || isFit(uri));
    return isPlain ? uri : `${sharedScheme}${encodeURIComponent(item.server)}/${uri}`;
  };
}

/** `SERVER/URI`, the host's own words, out of a URI that was shown so; any other as it is. */
export function withServer(uri: string): string {
  const [, server, own] = shared.exec(uri) ?? [];
  if (server === undefined) return uri;
  try {
    return `${decodeURIComponent(server)}/${own}`;
  } catch {
    return uri;
  }
}

/** A tool under the name that it is shown by. */
export function toolEntry(tool: HostTool, name: string, knows: Knowledge): JsonObject {
  const { title, description, inputSchema, outputSchema, annotations, more = {} } = wholeTool(tool);
  const mayLast = taskSupportOf({ execution: tool.execution }) !== "forbidden";
  const isKnownSchema = knows.anyStructured || (knows.titles && outputSchema?.type === "object");
  return {
    ...entryFor(more, knows),
    name,
    ...(title !== undefined && knows.titles && { title }),
    ...(description !== undefined && { description }),
    inputSchema: strictSchema(inputSchema, knows.era),
    ...(outputSchema !== undefined &&
      isKnownSchema && {
        outputSchema:
          outputSchema.type === "object" ? strictSchema(outputSchema, knows.era) : outputSchema,
      }),
    ...(annotations !== undefined && knows.annotations && { annotations: { ...annotations } }),
    // One that must run as a task is waited for where the client does not ask for one.
    ...(mayLast &&
      knows.tasks &&
      knows.era === "legacy" && { execution: { taskSupport: "optional" } }),
  };
}

/** An entry as it came, without what a revision does not know, and what no strict client takes. */
export function entryFor(raw: JsonObject, { icons, titles }: Knowledge): JsonObject {
  const entry = strictEntry(raw);
  if (icons) return entry;
  const { icons: _, ...rest } = entry;
  if (titles) return rest;
  const { title: _title, ...old } = rest;
  return old;
}

// --- internal ---

/** `SERVER/URI` alone is no URI, since a scheme has no slash: strict clients would refuse the whole list for it. */
const sharedScheme = "mcphost:";
const shared = /^mcphost:([^/]+)\/([^]*)$/;
