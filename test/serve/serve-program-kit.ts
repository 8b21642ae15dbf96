/** `mcphost serve` over the fixture of the host's tests, and calls of its tools. */
import { join } from "node:path";

import { bunAlone, root } from "../harness.ts";
import { tools } from "../host/kit.ts";

/** The fixture of the host's tests. */
export const program = join(root, "test/fixtures/host/server.ts");

/** The tools that it has. */
export const plan = JSON.stringify({ tools: tools("echo", "env", "pid", "silent", "wait") });

/** The words that name that server. */
export const one = ["--", ...bunAlone, program, plan];

/** A call by `POST /tools`. */
export function post(url: string, tool: string, params: object, token?: string): Promise<Response> {
  return fetch(`${url}/tools`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ tool, params }),
  });
}

/** The text that a call gave. */
export async function textOf(answer: Response | Promise<Response>): Promise<string> {
  return ((await (await answer).json()) as { plain_text_response: string }).plain_text_response;
}
