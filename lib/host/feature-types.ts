/** What a host offers beside tools: resources, prompts and completion. Types only. */
import type { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Answers } from "../client/answer-types.ts";
import type { CompletionRequest, CompletionValues } from "../client/completion.ts";
import type { InputRound } from "../client/types.ts";
import type { Prompt, Resource, ResourceTemplate } from "../protocol/lists.ts";
import type { McpLogLevel, Progress } from "../protocol/mcp.ts";

/** A resource as its server lists it. */
export interface HostResource extends Resource {
  server: string;
}

export interface HostTemplate extends ResourceTemplate {
  server: string;
}

/** A prompt as the host offers it. */
export interface HostPrompt extends Prompt {
  /** The exposed name, unique in this host: made as those of tools are. */
  name: string;
  server: string;
  /** The server's own name. */
  prompt: string;
}

export interface ListRequest {
  /** @default all */
  servers?: string[];
  signal?: AbortSignal;
}

/** What could be had of several servers. */
interface Gathered {
  /** Servers that could not be listed, or not to the end of their list, each with its reason. */
  failed: { server: string; error: HostError }[];
  /** What was odd in a list or renamed, in words for a person. */
  warnings: { server: string; text: string }[];
}

export interface ResourceListing extends Gathered {
  resources: HostResource[];
  templates: HostTemplate[];
}

export interface PromptListing extends Gathered {
  prompts: HostPrompt[];
}

interface Waiting {
  signal?: AbortSignal;
  /** Idle time, renewed by progress. @default the server's, else 60000 */
  timeoutMs?: number;
  /** As of a client's request. @default the host's */
  answers?: Answers;
  /** As of a client's request: the answer may then ask for input (`isInput`). @default a modern server's questions are answered here */
  rounds?: InputRound;
  /** More for `_meta` of the request, such as a trace. */
  meta?: JsonObject;
  /** What the request may log, where its server is told with each. @default what the host asks for */
  logLevel?: McpLogLevel;
  /** Hears how far the server is; it does not throw. */
  onProgress?: (progress: Progress) => void;
}

export interface ReadRequest extends Waiting {
  /** The URI; `SERVER/URI` says which server is asked. */
  uri: string;
}

export interface PromptRequest extends Waiting {
  /** Exposed name, `SERVER.PROMPT`, `SERVER/PROMPT`, or the bare name where only one server has it. */
  prompt: string;
  arguments?: Readonly<Record<string, string>>;
}

/** A prompt is named as in `PromptRequest`; a template may be written `SERVER/TEMPLATE`. */
export type CompleteRequest = CompletionRequest & Waiting;

/** What a server answered. */
export interface HostAnswer {
  server: string;
  result: JsonObject;
  /** The exact text of `result`. */
  readonly raw: string;
  /** It is none: the server asks for input, and the caller goes through the rounds. */
  isInput?: true;
  /** What a person should know of it: it is older than the server allows, an argument is none of its. */
  warnings: string[];
}

/**
 * Each starts no more servers than it must, and throws HostError: `usage` (a name or URI that is unknown, with the nearest,
 * or of several servers), `rpc_error`, `server_start`, `server_exit`, `timeout`, `cancelled`.
 */
export interface Features {
  /** Lists resources and templates of all servers in parallel. Never throws for a server: see `failed`. */
  resources(request?: ListRequest): Promise<ResourceListing>;
  /**
   * The contents at a URI. Of several servers the one that lists it, or has a template for it, is asked; the only one is
   * asked at once.
   */
  read(request: ReadRequest): Promise<HostAnswer>;
  /** Lists prompts as `resources` does. */
  prompts(request?: ListRequest): Promise<PromptListing>;
  /** The messages of a prompt. Required arguments that are missing are an error before anything is sent. */
  prompt(request: PromptRequest): Promise<HostAnswer>;
  /** What the server suggests for an argument of a prompt, or a variable of a template; nothing where it cannot. */
  complete(request: CompleteRequest): Promise<CompletionValues>;
}
