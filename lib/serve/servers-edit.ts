/**
 * Servers added, changed and removed while `serve` runs, in the config file that they then stand in; and the config read
 * again. Whoever can add a server can run code: each needs a token, and one that is for some tools alone is not enough.
 */
import { isHostError } from "../base/errors.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { readRevised, replaceText, stale } from "../config/edit-file.ts";
import { editServers, type ServerEdit } from "../config/edit.ts";
import { errorBody, HttpError, withoutPaths } from "./http-error.ts";
import type { Reloaded, ServedConfig } from "./servers-config.ts";
import { conflictOf, mustBeIn, toEditError } from "./servers-refusal.ts";
import { shown, shownBad, shownWhole } from "./status.ts";
import type { Caller, Exchange, Route, ServeContext } from "./types.ts";

/** `POST /servers`, `PATCH` and `DELETE /servers/NAME`, `POST /servers/reload`. None where there is no config. */
export function serversEditRoutes(context: ServeContext): Route[] {
  const { config } = context;
  if (config === undefined) return [];
  const change = async (exchange: Exchange, read: (body: JsonObject) => ServerEdit) => {
    mustBeFree(exchange.caller);
    const { request } = exchange;
    const body = request.body === null ? {} : objectOf(await exchange.json(), "the body");
    const revision = revisionOf(request, body);
    return await config.inTurn(() => edited(read(body), revision, { config, context }));
  };
  const named = ["/servers/:name", "/servers/reload"].flatMap((path): Route[] => [
    {
      method: "PATCH",
      path,
      decides: true,
      handle: (exchange) =>
        change(exchange, ({ server }) => {
          return { do: "change", name: nameIn(exchange), keys: objectOf(server, "server") };
        }),
    },
    {
      method: "DELETE",
      path,
      decides: true,
      handle: (exchange) => change(exchange, () => ({ do: "remove", name: nameIn(exchange) })),
    },
  ]);
  return [
    {
      method: "POST",
      path: "/servers",
      decides: true,
      handle: (exchange) =>
        change(exchange, ({ name, server }) => {
          if (typeof name !== "string") throw badBody("name must be a string");
          return { do: "add", name, entry: objectOf(server, "server") };
        }),
    },
    ...named,
    {
      method: "POST",
      path: "/servers/reload",
      decides: true,
      handle: ({ caller }) => {
        mustBeFree(caller);
        return reloaded(config, context);
      },
    },
  ];
}

// --- internal ---

interface EditIn {
  config: ServedConfig;
  context: ServeContext;
}

/** One edit, from the file as it is to what came of it. @throws HttpError, HostError */
async function edited(
  edit: ServerEdit,
  revision: string,
  { config, context }: EditIn,
): Promise<Response> {
  const { source } = config;
  let written: { revision: string; warnings: string[] };
  try {
    const target = await source.target();
    mustBeIn(target, edit, config.config);
    const { file, label } = target;
    const before = await readRevised(file, label);
    if (before.revision !== revision) throw stale(label, before.revision);
    const { text, warnings } = editServers(before.text, edit, {
      origin: target,
      folder: source.folder,
    });
    written = {
      revision: await replaceText(file, text, { label, revision }),
      warnings: warnings.map(withoutPaths),
    };
  } catch (error) {
    throw toEditError(error);
  }
  const headers = {
    etag: `"${written.revision}"`,
    ...(edit.do === "add" && { location: `/servers/${encodeURIComponent(edit.name)}` }),
  };
  const body = { ...written };
  try {
    const change = changeOf(await config.reloadNow());
    const server = context.host.servers().find(({ name }) => name === edit.name);
    const status = edit.do === "add" ? 201 : 200;
    return shown(
      { ...body, ...change, ...(server && { server: shownWhole(server) }) },
      context.redact,
      { status, headers },
    );
  } catch (error) {
    if (!isHostError(error)) throw error;
    // It is written; something else in the config keeps it from counting.
    return shown({ ...body, error: errorBody(error) }, context.redact, { status: 202, headers });
  }
}

/** @throws HttpError 409: it stays as it was */
async function reloaded(config: ServedConfig, { redact }: ServeContext): Promise<Response> {
  try {
    const change = changeOf(await config.reload());
    const revision = await config.revision();
    const etag = revision === undefined ? {} : { etag: `"${revision}"` };
    return shown({ ...(revision && { revision }), ...change }, redact, { headers: etag });
  } catch (error) {
    throw conflictOf(error);
  }
}

function changeOf({ failed, ...change }: Reloaded): object {
  return { ...change, ...(failed.length > 0 && { failed: failed.map(shownBad) }) };
}

/** @throws HttpError 403 */
function mustBeFree({ isBound }: Caller): void {
  if (isBound !== true) return;
  throw new HttpError(403, "denied", "this token is for some tools alone, and changes no servers", {
    hint: "a token without tools, or the start key, may",
  });
}

/** The revision that the client saw. @throws HttpError 400 · 428 */
function revisionOf({ headers }: Request, body: JsonObject): string {
  const sent = headers.get("if-match") ?? "";
  const [, tag] = /^"([^"]+)"$/.exec(sent) ?? [];
  if (tag !== undefined) return tag;
  if (sent !== "" && sent !== "*")
    throw new HttpError(400, "bad_request", "If-Match must be an ETag within its quotes", {
      hint: "send it as GET /servers with your token has it",
    });
  if (typeof body.revision === "string") return body.revision;
  throw new HttpError(428, "precondition_required", "say which revision of the config is changed", {
    hint: "GET /servers with your token has it as ETag: send it as If-Match, or as revision in the body",
  });
}

function nameIn({ params }: Exchange): string {
  // The route of a name that is one of ours, too.
  return params["name"] ?? "reload";
}

/** @throws HttpError 400 */
function objectOf(value: Json | undefined, what: string): JsonObject {
  if (isObject(value)) return value;
  throw badBody(`${what} must be an object`);
}

function badBody(why: string): HttpError {
  return new HttpError(400, "bad_request", why, {
    hint: 'the body is {"name": NAME, "server": {…}} to add one, {"server": {…}} to change one',
  });
}
