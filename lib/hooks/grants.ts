/**
 * What grants cover: a grant is bound to the configuration of its server and to the whole definition of each tool, so that
 * neither another server nor a changed tool has it. Pure.
 */
import { canonicalJson } from "../base/canonical.ts";
import { clip } from "../base/clip.ts";
import type { JsonObject } from "../base/json.ts";
import type { Grant } from "../store/types.ts";

/** Of a tool, what a person judges it by: any change of it is another tool. */
export interface ToolDefinition {
  tool: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: object;
}

/** SHA-256, in hex, over canonical JSON. */
export function hashOf(value: unknown): string {
  return new Bun.CryptoHasher("sha256").update(canonicalJson(value)).digest("hex");
}

/** The parts of a definition that count, under the server's own name. */
export function definitionOf(found: ToolDefinition): JsonObject {
  const { tool: name, title, description, inputSchema, outputSchema, annotations } = found;
  return JSON.parse(
    JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
  ) as JsonObject;
}

/** A call as grants see it. */
export interface GrantSubject {
  tool: string;
  arguments: JsonObject;
  session: string;
  /** Hashes. */
  config: string;
  definition: string;
}

/** The first grant that covers a call; else the first that would, had the tool not changed since. */
export function grantFor(
  grants: readonly Grant[],
  subject: GrantSubject,
): { grant?: Grant; outdated?: Grant } {
  const meant = grants.filter((grant) => covers(grant, subject));
  const grant = meant.find(({ definitions }) => definitions[subject.tool] === subject.definition);
  if (grant !== undefined) return { grant };
  const [outdated] = meant;
  return outdated === undefined ? {} : { outdated };
}

/** How a definition differs from the one that was known, a line for each part; empty where it does not. */
export function changesOf(before: JsonObject | undefined, now: JsonObject): string[] {
  if (before === undefined) return ["what it was before is not known any more"];
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((part) => {
    const [was, is] = [shown(before[part]), shown(now[part])];
    return was === is ? [] : [`${part} was ${clip(was, partMax)} and is ${clip(is, partMax)}`];
  });
}

// --- internal ---

const partMax = 400;

function covers(grant: Grant, { tool, arguments: args, session, config }: GrantSubject): boolean {
  return (
    grant.config === config &&
    (grant.tool === undefined || grant.tool === tool) &&
    Object.hasOwn(grant.definitions, tool) &&
    (grant.session === undefined || grant.session === session) &&
    (grant.arguments === undefined || grant.arguments === canonicalJson(args))
  );
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : canonicalJson(value);
}
