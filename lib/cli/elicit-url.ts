/**
 * A page that a server wants visited: who asks, the domain and the whole address are shown, what is odd about it is named,
 * and only then it is opened, in the person's own browser. Nothing is fetched, and what is done there stays there.
 */
import { domainToUnicode } from "node:url";

import type { JsonObject } from "../base/json.ts";
import type { Asked } from "../client/answer-types.ts";
import { hasBrowser, openBrowser } from "../process/browser.ts";
import type { Questions } from "./ask.ts";
import { messageOf, refusing } from "./elicit-fields.ts";
import type { Io } from "./types.ts";
import { visible } from "./visible.ts";

export interface VisitContext {
  ask: Questions;
  /** The same, but nobody is asked any more once the signal fires. */
  until: (signal: AbortSignal) => Questions;
  io: Pick<Io, "env" | "stderr">;
  /** What was agreed to already, by server and URL: asked for again, it is not done yet. */
  visited: Set<string>;
}

/** The answer to an elicitation in URL mode, whose URL is safe to open. @throws HostError `cancelled` on Ctrl-C */
export async function visit(
  params: JsonObject,
  { server, completed }: Asked,
  { ask, until, io, visited }: VisitContext,
): Promise<JsonObject> {
  const written = String(params["url"]);
  const url = new URL(written);
  const key = JSON.stringify([server, written]);
  const again = visited.has(key);
  const canOpen = hasBrowser(io.env);
  const words = [
    `Server "${server}" ${again ? "still waits for" : "asks you to visit"} a page: ${messageOf(params)}`,
    `  domain  ${url.host}`,
    `  address ${url.href}`,
    ...oddities(url, written).map((text) => `  careful ${text}`),
  ];
  const open = canOpen ? "Open it in the browser" : "Show it, to be opened by hand";
  const action = await ask.pick(words.join("\n"), [
    ...(again ? [goOn] : []),
    { value: "open", label: again ? `${open} again` : open },
    ...refusing,
  ]);
  if (action !== "open") return { action, done: true };
  visited.add(key);
  if (!canOpen || !(await openBrowser(url.href, io.env)))
    await io.stderr.write(`mcphost: open this in a browser:\n${visible(url.href)}\n`);
  if (completed === undefined) return { action: "accept" };
  return { action: await untilDone(server, completed, until), done: true };
}

/** What a person should look at twice before going there. Pure. */
export function oddities(url: URL, written: string): string[] {
  const { hostname, port, username, password, protocol } = url;
  const found: string[] = [];
  if (/(^|\.)xn--/.test(hostname))
    found.push(
      `the domain is spelt with other letters than it seems: ${domainToUnicode(hostname)}`,
    );
  else if (/[^\u0021-\u007e]|\\/.test(written))
    found.push("it was written with characters that addresses do not have");
  if (username !== "" || password !== "")
    found.push(`what stands before the @ is not where it leads; ${hostname} is`);
  if (/^\d+(\.\d+){3}$|^\[/.test(hostname)) found.push("the domain is a bare network address");
  if (port !== "") found.push(`it has the unusual port ${port}`);
  if (protocol === "http:") found.push("it leads to this computer itself, and is not encrypted");
  if (hostname.split(".").length > 5 || hostname.length > 60)
    found.push(
      `the domain is long; what counts is its end, ${hostname.split(".").slice(-2).join(".")}`,
    );
  return found;
}

// --- internal ---

const goOn = { value: "accept", label: "It is done: go on" };

/** The person says that it is done, or the server does. */
async function untilDone(
  server: string,
  completed: Promise<void>,
  until: VisitContext["until"],
): Promise<string> {
  const over = new AbortController();
  void completed.then(() => over.abort(new Error(`server "${server}" says that it is done`)));
  const words = `Server "${server}" goes on once that is done.`;
  try {
    return await until(over.signal).pick(words, [goOn, ...refusing]);
  } catch (error) {
    if (over.signal.aborted) return "accept";
    throw error;
  }
}
