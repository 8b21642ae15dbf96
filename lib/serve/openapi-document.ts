/** The OpenAPI 3.1 document of some tools: one path a tool, and nothing that is not a tool. Pure. */
import { version } from "../../package.json";
import type { JsonObject } from "../base/json.ts";
import { wholeTool } from "../host/host-tool.ts";
import type { Judgement } from "../host/opened-types.ts";
import type { HostTool } from "../host/types.ts";
import { embedSchema } from "./openapi-schema.ts";

export interface DocumentOptions {
  /** Where we are reached, without a final slash. */
  url: string;
  /** The request for the document carried a token. */
  hasToken: boolean;
  /** What the rules say of each tool, in their order. */
  policies: readonly Judgement[];
}

export function documentOf(
  tools: readonly HostTool[],
  { url, hasToken, policies }: DocumentOptions,
): JsonObject {
  const ids = new Set<string>();
  const paths: [string, JsonObject][] = [];
  const schemas: [string, JsonObject][] = Object.entries(commonSchemas);
  const omitted: string[] = [];
  for (const [i, tool] of tools.entries()) {
    const path = pathOf(tool.name);
    if (path === undefined) {
      omitted.push(tool.name);
      continue;
    }
    const id = operationIdOf(tool.name, ids);
    const whole = wholeTool(tool);
    const { inputSchema, outputSchema } = whole;
    schemas.push([`${id}_input`, embedSchema(inputSchema, `${place}${id}_input`)]);
    if (outputSchema !== undefined)
      schemas.push([`${id}_output`, embedSchema(outputSchema, `${place}${id}_output`)]);
    paths.push([path, { post: operationOf(whole, id, policies[i]) }]);
  }
  const servers = [...new Set(tools.map(({ server }) => server))];
  return {
    openapi: "3.1.0",
    info: { title: "mcphost", version, description: "Tools of MCP servers, one path each." },
    servers: [{ url }],
    security: hasToken ? [{ token: [] }] : [{}, { token: [] }],
    tags: servers.map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries(schemas),
      responses: errorResponses,
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
    // Names that no path can hold: `POST /tools` takes them.
    ...(omitted.length > 0 && { "x-omitted": omitted }),
  };
}

// --- internal ---

const place = "#/components/schemas/";
const idMax = 64;

/** Undefined for a name that a path cannot hold: it would be taken away, or lead elsewhere. */
function pathOf(name: string): string | undefined {
  if (name === "" || name === "." || name === ".." || !name.isWellFormed()) return undefined;
  return `/tools/${encodeURIComponent(name)}`;
}

/** The name where it will do, else what will do of it with a hash; each once. */
function operationIdOf(name: string, taken: Set<string>): string {
  const clean = name.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, idMax);
  let id = clean;
  for (let round = 0; (id !== name && round === 0) || taken.has(id); round++) {
    const hash = Bun.SHA256.hash(`${name}\0${round}`, "hex").slice(0, 8);
    id = `${clean.slice(0, idMax - 9)}_${hash}`;
  }
  taken.add(id);
  return id;
}

function operationOf(
  { name, server, tool, title, description, annotations, outputSchema }: HostTool,
  id: string,
  policy: Judgement | undefined,
): JsonObject {
  const result = { $ref: `${place}ToolResult` };
  const structured = { $ref: `${place}${id}_output` };
  const schema =
    outputSchema === undefined
      ? result
      : { allOf: [result, { type: "object", properties: { structuredContent: structured } }] };
  return {
    operationId: id,
    summary: title ?? name,
    ...(description !== undefined && { description }),
    tags: [server],
    requestBody: {
      required: true,
      description: "The arguments.",
      content: { "application/json": { schema: { $ref: `${place}${id}_input` } } },
    },
    responses: {
      "200": {
        description: "The result, with isError where the tool itself failed.",
        content: { "application/json": { schema } },
      },
      ...Object.fromEntries(
        Object.keys(errors).map((status) => [
          status,
          { $ref: `#/components/responses/E${status}` },
        ]),
      ),
    },
    "x-mcp": { server, tool, ...(annotations && { annotations: { ...annotations } }) },
    ...(policy !== undefined && { "x-policy": { ...policy } }),
  };
}

const commonSchemas: Record<string, JsonObject> = {
  ToolResult: {
    type: "object",
    description: "The result of tools/call as the server sent it.",
    properties: {
      content: { type: "array", items: { type: "object" } },
      structuredContent: {},
      isError: { type: "boolean" },
      _meta: { type: "object" },
    },
  },
  Error: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message"],
        properties: {
          code: { type: "string" },
          message: { type: "string" },
          hint: { type: "string", description: "What to do about it." },
          call: { type: "string", description: "The call, as /calls has it." },
        },
      },
    },
  },
};

const errors: Record<string, string> = {
  "400": "The body is no JSON object, or the arguments do not fit.",
  "401": "A token is needed, or is not one of ours.",
  "403": "A rule denies the call, or the Host or Origin is refused.",
  "404": "There is no such tool.",
  "408": "The body took too long.",
  "413": "The body is too large.",
  "415": "The body does not say that it is application/json, or is compressed.",
  "502":
    "The server could not be used, or answered with an error of its own; it may have happened where the code is uncertain.",
  "503": "Too much at once, stopping, or the call was cancelled.",
  "504": "The server did not answer in time; the call was cancelled.",
};

const errorResponses: JsonObject = Object.fromEntries(
  Object.entries(errors).map(([status, description]) => [
    `E${status}`,
    { description, content: { "application/json": { schema: { $ref: `${place}Error` } } } },
  ]),
);
