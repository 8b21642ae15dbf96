/**
 * Links in results, and the servers that gave them. No list need have what a tool links to, so that is all there is to find
 * the server by when a client reads it.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";

export class Links {
  /** By URI, those seen last at the end; `undefined`: several servers link to it. */
  readonly #servers = new Map<string, string | undefined>();

  /** Takes the links of a server's result. */
  note({ result, raw }: { result: JsonObject; raw: string }, server: string): void {
    // Most have none, and that is seen at once.
    if (isText(result) || !raw.includes('"resource')) return;
    for (const uri of linksIn(result)) {
      if (uri.length > uriMax) continue;
      const isContested = this.#servers.has(uri) && this.#servers.get(uri) !== server;
      this.#servers.delete(uri);
      this.#servers.set(uri, isContested ? undefined : server);
    }
    for (const uri of this.#servers.keys()) {
      if (this.#servers.size <= linksMax) break;
      this.#servers.delete(uri);
    }
  }

  /** The one server that gave a link; undefined where none did, or several. */
  serverOf(uri: string): string | undefined {
    return this.#servers.get(uri);
  }
}

// --- internal ---

const linksMax = 10_000;
/** Characters of one that is kept. */
const uriMax = 2048;

/** One text, and nothing else. */
function isText({ content, messages }: JsonObject): boolean {
  if (!Array.isArray(content) || content.length !== 1 || messages !== undefined) return false;
  const only = content[0];
  return isObject(only) && only.type === "text" && only.uri === undefined;
}

/** Of the blocks of a tool's result, or of the messages of a prompt. */
function linksIn({ content, messages }: JsonObject): string[] {
  const blocks = [...listed(content), ...listed(messages).flatMap((one) => contentOf(one))];
  return blocks.flatMap((block) => {
    if (!isObject(block)) return [];
    const { type, uri, resource } = block;
    const found = type === "resource" && isObject(resource) ? resource.uri : uri;
    return typeof found === "string" ? [found] : [];
  });
}

function contentOf(message: Json): readonly Json[] {
  if (!isObject(message) || message.content === undefined) return [];
  return Array.isArray(message.content) ? message.content : [message.content];
}

function listed(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
