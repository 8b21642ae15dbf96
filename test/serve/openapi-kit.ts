/** The document of tools, and whether it is valid. */
import { expect } from "bun:test";

import { validate } from "@readme/openapi-parser";

import type { JsonObject } from "../../lib/base/json.ts";
import type { HostTool } from "../../lib/host/types.ts";
import { documentOf } from "../../lib/serve/openapi-document.ts";

/** The parser changes what it is given, and takes no prototype tricks: it gets the text, parsed anew. */
export async function expectValid(document: unknown): Promise<void> {
  const found = await validate(JSON.parse(JSON.stringify(document)));
  expect(found).toMatchObject({ valid: true });
}

/** A tool with that schema, as a host lists it. */
export function toolOf(
  name: string,
  inputSchema: JsonObject,
  more: Partial<HostTool> = {},
): HostTool {
  return { name: `s_${name}`, server: "s", tool: name, inputSchema, ...more };
}

/** The document of these tools. */
export function docOf(tools: HostTool[]): any {
  const options = { url: "http://127.0.0.1:3003", hasToken: false, policies: [] };
  return documentOf(tools, options);
}
