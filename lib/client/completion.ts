/** What a server suggests for a value that is being written (completion/complete, protocol.md 1.13). */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { McpClient, Reply, RequestOptions } from "./types.ts";

/** What is being completed: an argument of a prompt, or a variable of a resource template. */
export interface CompletionRequest {
  /** The server's own name of the prompt, or the template. */
  ref: { prompt: string } | { template: string };
  /** Its name, and what is written so far. */
  argument: { name: string; value: string };
  /** The other arguments that are known already. */
  context?: Readonly<Record<string, string>>;
}

export interface CompletionValues {
  /** At most 100; what is no string is left out. */
  values: string[];
  /** How many there are, where the server says so. */
  total?: number;
  /** There are more than these. */
  hasMore: boolean;
  /** As the server says it, with whatever more there is; undefined where it was not asked. */
  answer?: Pick<Reply, "result" | "raw">;
}

/** Nothing, without asking, from a server that declares no completions. @throws RpcError; HostError as `McpClient.request` */
export async function complete(
  client: Pick<McpClient, "capabilities" | "request">,
  { ref, argument, context }: CompletionRequest,
  options?: RequestOptions,
): Promise<CompletionValues> {
  if (!client.capabilities.completions) return { values: [], hasMore: false };
  const params: JsonObject = {
    ref:
      "prompt" in ref
        ? { type: "ref/prompt", name: ref.prompt }
        : { type: "ref/resource", uri: ref.template },
    argument: { ...argument },
    ...(context !== undefined && { context: { arguments: { ...context } } }),
  };
  const answer = await client.request("completion/complete", params, options);
  const { completion } = answer.result;
  if (!isObject(completion) || !Array.isArray(completion.values))
    throw new HostError("rpc_error", "the answer to completion/complete has no values", {
      hint: "that is a fault of the server",
    });
  const values = completion.values.filter((value) => typeof value === "string");
  const { total, hasMore } = completion;
  return {
    values: values.slice(0, valuesMax),
    ...(typeof total === "number" && { total }),
    hasMore: hasMore === true || values.length > valuesMax,
    answer,
  };
}

// --- internal ---

/** Of the specification. */
const valuesMax = 100;
