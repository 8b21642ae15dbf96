/**
 * What is said in a plain call, as data: each message that the host would send, once the one before is answered, and in
 * the end the text to print. Pure. What is not answered as plainly as can be is left to the host, which says the same and
 * goes on from there.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import { surelyFits } from "../../base/schema-plain.ts";
import type { Verdict } from "../../client/connect-types.ts";
import { capabilitiesOf, clientInfo } from "../../client/declared.ts";
import type { Greeting } from "../../client/greet.ts";
import { planOf, verdictOf } from "../../client/plan.ts";
import type { Plan } from "../../client/plan.ts";
import type { ArgumentPart } from "../../host/arguments.ts";
import { codecFor } from "../../protocol/codecs.ts";
import { initializeParams, readInitialize } from "../../protocol/legacy.ts";
import type { Tool } from "../../protocol/mcp.ts";
import { ttlOf } from "../../protocol/modern.ts";
import { classifyProbe } from "../../protocol/probe.ts";
import type { LinkKind } from "../../protocol/probe.ts";
import { readTools } from "../../protocol/tools.ts";
import { answerIn, fitting, rawOf, textOf } from "./read.ts";
import type { PlainAnswer } from "./read.ts";

/** What is wanted. */
export interface PlainCall {
  tool: string;
  /** Another name of it was given, which tools of the same server may have as well. @default false */
  isExposed?: boolean;
  parts: readonly ArgumentPart[];
  /** The result is printed as it came. */
  json: boolean;
}

/** What is to be printed, and to be remembered of the server. */
export interface TalkEnd {
  text: string;
  verdict: Verdict;
}

/** What follows: lines to send, perhaps none, or the end; undefined where the host must go on. */
export type Step = { send: string } | TalkEnd | undefined;

export class Talk {
  readonly #call: PlainCall;
  readonly #before: Verdict | undefined;
  readonly #plan: Plan;
  #id = 0;
  /** What the last request asks. */
  #method = "";
  /** A request whose answer changes nothing; no answer has the id where there is none. */
  #aside = Number.NaN;
  #greeting: Omit<Greeting, "instructions"> | undefined;
  #tool: Tool | undefined;

  /** @param verdict what is remembered of the server */
  constructor(call: PlainCall, verdict: Verdict | undefined, link: LinkKind = "pipe") {
    this.#call = call;
    this.#before = verdict;
    this.#plan = planOf({ name: "server", verdict, link });
  }

  /** What is sent first. */
  begin(): string {
    const { first, modern } = this.#plan;
    if (first === "initialize") return this.#initialize();
    if (first === "server/discover") return this.#discover();
    const { capabilities = {} } = this.#before ?? {};
    const step = this.#spoken(modern, { capabilities, serverInfo: undefined }, "");
    return step !== undefined && "send" in step ? step.send : "";
  }

  /** What follows on a line from the server. */
  heard(line: string): Step {
    const answer = answerIn(line);
    if (answer !== undefined && answer.id === this.#aside) {
      this.#aside = Number.NaN;
      return { send: "" };
    }
    if (answer?.id !== this.#id) return undefined;
    if (this.#method === "server/discover") return this.#probed(answer);
    const { result } = answer;
    if (result === undefined) return undefined;
    if (this.#method === "initialize") return this.#greeted(result);
    return this.#method === "tools/list" ? this.#listed(result, line) : this.#called(result, line);
  }

  // --- internal ---

  #discover(): string {
    const { modern } = this.#plan;
    const envelope = { clientInfo, capabilities: capabilitiesOf({}, modern) };
    const params = codecFor(modern)?.params({}, { ...envelope, progressToken: this.#id + 1 });
    return this.#request("server/discover", params ?? {});
  }

  #probed({ result, error }: PlainAnswer): Step {
    const isError = error !== undefined;
    const verdict = classifyProbe(
      isError ? { kind: "error", error } : { kind: "result", result: result ?? null },
      this.#plan.link,
    );
    if (verdict.kind === "legacy") return { send: this.#initialize() };
    if (verdict.kind !== "modern") return undefined;
    return this.#spoken(verdict.revision, verdict.discovered, "");
  }

  #initialize(): string {
    const { legacy } = this.#plan;
    const params = initializeParams(legacy, clientInfo, capabilitiesOf({}, legacy));
    return this.#request("initialize", params);
  }

  #greeted(result: Json): Step {
    const read = readInitialize(result, this.#plan.legacy);
    if ("invalid" in read) return undefined;
    const taken = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n';
    return this.#spoken(read.revision, read, taken);
  }

  /** It is known how to speak to it: what tools has it? @param before is sent before that */
  #spoken(
    revision: string,
    { capabilities, serverInfo }: Pick<Greeting, "capabilities" | "serverInfo">,
    before: string,
  ): Step {
    const codec = codecFor(revision);
    if (codec === undefined) return undefined;
    this.#greeting = { codec, capabilities, serverInfo };
    let lines = before;
    if (codec.setLevel && capabilities.logging) {
      // There it is asked for beside the list.
      if (this.#plan.link === "http") return undefined;
      lines += this.#request("logging/setLevel", { level: logLevel });
      this.#aside = this.#id;
    }
    return { send: lines + this.#ask("tools/list", {}) };
  }

  #listed(result: Json, line: string): Step {
    const codec = this.#greeting?.codec;
    if (!codec?.isComplete("tools/list", result)) return undefined;
    // Arguments that belong into headers.
    if (this.#plan.link === "http" && line.includes("x-mcp-header")) return undefined;
    // The host asks for other pages, and keeps what may be kept.
    if ((result.nextCursor ?? undefined) !== undefined) return undefined;
    if (codec.era === "modern" && ttlOf(result) > 0) return undefined;
    const { tools, warnings } = readTools(result);
    if (warnings.length > 0) return undefined;
    const { tool: name, isExposed = false, parts } = this.#call;
    for (const tool of tools) {
      if (isExposed && !isShownAsIs(tool)) return undefined;
      if (tool.name === name) this.#tool = tool;
    }
    const args = this.#tool && fitting(parts, this.#tool);
    return args && { send: this.#ask("tools/call", { name, arguments: args }) };
  }

  #called(result: Json, line: string): Step {
    const greeting = this.#greeting;
    if (!greeting?.codec.isComplete("tools/call", result)) return undefined;
    const { isError = false, resultType = "complete", structuredContent } = result;
    if (isError !== false || resultType !== "complete") return undefined;
    const outputSchema = this.#tool?.outputSchema;
    const isPromised = outputSchema !== undefined;
    if (isPromised && structuredContent === undefined) return undefined;
    if (isPromised && !surelyFits(outputSchema, structuredContent)) return undefined;
    const text = this.#call.json ? rawOf(line) : textOf(result, line);
    const verdict = verdictOf({ ...greeting, instructions: undefined }, this.#plan, this.#before);
    return text === undefined ? undefined : { text, verdict };
  }

  /** A request, dressed as its era wants it. */
  #ask(method: string, params: JsonObject): string {
    const codec = this.#greeting?.codec;
    const capabilities = capabilitiesOf({}, codec?.revision ?? "");
    const envelope = { clientInfo, capabilities, logLevel, progressToken: this.#id + 1 } as const;
    return this.#request(method, { ...params, _meta: codec?.meta(undefined, envelope) });
  }

  #request(method: string, params: JsonObject): string {
    this.#id += 1;
    this.#method = method;
    return `${JSON.stringify({ jsonrpc: "2.0", id: this.#id, method, params })}\n`;
  }
}

// --- internal ---

/** As long as no flag says another. */
const logLevel = "warning";

/** Its name is not changed to be shown, or too long for that. */
function isShownAsIs({ name }: Tool): boolean {
  return /^[\w-]{1,32}$/.test(name);
}
