#!/usr/bin/env bun
/**
 * An MCP server over HTTP in one file, without any SDK: notes as tools, resources and a prompt. It speaks the stateless
 * revision 2026-07-28: each POST stands for itself, and what the server asks comes back with the next one.
 *   bun examples/notes.ts          prints its address (PORT=8080 for a port of your choice), stops with Ctrl-C
 *   mcphost tools -s notes=http://127.0.0.1:8080/mcp
 */

type Fields = Record<string, unknown>;

const revision = "2026-07-28";
const meta = "io.modelcontextprotocol/";
const notes = ["Buy milk"];

/** An error of the protocol. */
class Refusal extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: Fields | undefined;

  constructor(code: number, message: string, status = 200, data?: Fields) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

const tools: Record<string, { about: Fields; run(args: Fields, params: Fields): Fields }> = {
  add_note: {
    about: {
      description: "Writes a note down",
      inputSchema: object({ text: { type: "string" } }, ["text"]),
    },
    run({ text }) {
      notes.push(String(text));
      return said(`Note ${notes.length} is written down`);
    },
  },
  remove_notes: {
    about: {
      description: "Removes all notes, and asks before it does",
      inputSchema: object({}),
      annotations: { destructiveHint: true },
    },
    run(_, { inputResponses: answers }) {
      const answer = (answers as { sure?: { action?: string; content?: Fields } })?.sure;
      if (answer === undefined) return ask(`Remove ${notes.length} notes?`);
      if (answer.action !== "accept" || answer.content?.["sure"] !== true) return said("Kept");
      return said(`Removed ${notes.splice(0).length} notes`);
    },
  },
};

const methods: Record<string, (params: Fields) => Fields> = {
  "server/discover": () => ({
    ...fresh,
    supportedVersions: [revision],
    capabilities: { tools: {}, resources: {}, prompts: {} },
  }),
  "tools/list": () => ({
    ...fresh,
    tools: Object.entries(tools).map(([name, { about }]) => ({ name, ...about })),
  }),
  "tools/call"(params) {
    const { name, arguments: args = {} } = params;
    if (!Object.hasOwn(tools, String(name))) throw new Refusal(-32602, `Unknown tool: ${name}`);
    return tools[String(name)]!.run(args as Fields, params);
  },
  "resources/list": () => ({
    ...fresh,
    resources: notes.map((text, at) => ({ uri: `note:///${at + 1}`, name: text.slice(0, 40) })),
  }),
  "resources/templates/list": () => ({ ...fresh, resourceTemplates: [] }),
  "resources/read"({ uri }) {
    const text = notes[Number(/^note:\/\/\/(\d+)$/.exec(String(uri))?.[1]) - 1];
    if (text === undefined) throw new Refusal(-32602, `Resource not found: ${uri}`);
    return { ...fresh, contents: [{ uri, mimeType: "text/plain", text }] };
  },
  "prompts/list": () => ({
    ...fresh,
    prompts: [
      {
        name: "summary",
        description: "Asks for a summary of all notes",
        arguments: [{ name: "style", description: "such as short, or a poem" }],
      },
    ],
  }),
  "prompts/get"({ name, arguments: args }) {
    if (name !== "summary") throw new Refusal(-32602, `Unknown prompt: ${name}`);
    const { style = "short" } = (args ?? {}) as Fields;
    const text = `Summarise these notes (${style}):\n${notes.join("\n")}`;
    return { messages: [{ role: "user", content: { type: "text", text } }] };
  },
};

/** Nothing may be kept: the notes change. */
const fresh = { ttlMs: 0, cacheScope: "private" };

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"] ?? 0),
  routes: { "/mcp": { POST: receive } },
  fetch: () => new Response("Not found", { status: 404 }),
});
console.log(`http://127.0.0.1:${server.port}/mcp`);

// --- internal ---

async function receive(request: Request): Promise<Response> {
  let id: unknown = null;
  try {
    // A page in a browser sends an Origin; nothing here is for pages.
    if (request.headers.has("origin")) throw new Refusal(-32600, "Not for web pages", 403);
    const message = (await request.json().catch(() => {
      throw new Refusal(-32700, "Parse error", 400);
    })) as { id?: unknown; method?: string; params?: Fields };
    const { method = "", params = {} } = message;
    if (message.id === undefined) return new Response(null, { status: 202 });
    id = message.id;
    check(request, method, params);
    const result = { resultType: "complete", ...methods[method]!(params) };
    return reply(200, { id, result });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, data, status } = error;
    return reply(status, { id, error: { code, message, ...(data && { data }) } });
  }
}

/** What a request of this revision must hold (protocol, basic/transports). @throws Refusal */
function check(request: Request, method: string, { _meta: own }: Fields): void {
  const asked = (own as Fields | undefined)?.[`${meta}protocolVersion`];
  if (asked !== revision) {
    const data = { supported: [revision], requested: asked ?? null };
    throw new Refusal(-32022, `Only ${revision} is spoken here`, 400, data);
  }
  if (request.headers.get("mcp-protocol-version") !== asked)
    throw new Refusal(-32020, "MCP-Protocol-Version differs from the request", 400);
  if (request.headers.get("mcp-method") !== method)
    throw new Refusal(-32020, "Mcp-Method differs from the request", 400);
  if (!Object.hasOwn(methods, method))
    throw new Refusal(-32601, `Method not found: ${method}`, 404);
}

function reply(status: number, fields: Fields): Response {
  return Response.json({ jsonrpc: "2.0", ...fields }, { status });
}

function said(text: string): Fields {
  return { content: [{ type: "text", text }] };
}

/** The answer comes with the same request, sent again. */
function ask(message: string): Fields {
  const requestedSchema = {
    type: "object",
    properties: { sure: { type: "boolean", title: "Really?" } },
    required: ["sure"],
  };
  const params = { mode: "form", message, requestedSchema };
  return {
    resultType: "input_required",
    inputRequests: { sure: { method: "elicitation/create", params } },
  };
}

function object(properties: Fields, required: string[] = []): Fields {
  return { type: "object", properties, required, additionalProperties: false };
}
