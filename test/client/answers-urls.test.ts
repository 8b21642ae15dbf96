/** Addresses that servers ask to visit, and modes that were not declared. */
import { describe, expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { accept, asking, form } from "./answers-kit.ts";
import { modernScript, scripted, text } from "./kit.ts";

describe.each(["legacy", "modern"] as const)("%s", (era) => {
  test.each([
    ["https://example.com/x", "accept"],
    ["http://127.0.0.1:8080/x", "accept"],
    ["http://[::1]/x", "accept"],
    ["http://localhost/x", "accept"],
    ["http://example.com/x", "decline"],
    ["http://localhost.example.com/", "decline"],
    ["javascript:alert(1)", "decline"],
    ["file:///etc/passwd", "decline"],
    ["not a url", "decline"],
    [7, "decline"],
  ])("the URL %s: %s", async (url, action) => {
    let asked = 0;
    const elicitUrl = async () => (asked++, { action: "accept", content: { a: 1 } });
    const { ask } = asking(era, { elicitUrl });
    expect(await ask({ mode: "url", url, message: "m", elicitationId: "e" })).toEqual({ action });
    expect(asked).toBe(action === "accept" ? 1 : 0);
  });

  test("a mode that was not declared is refused", async () => {
    const url = { mode: "url", url: "https://example.com/", message: "m", elicitationId: "e" };
    for (const [answers, params] of [
      [{ elicit: accept }, url],
      [{ elicitUrl: accept }, form({})],
      [{ elicit: accept, elicitUrl: accept }, { mode: "dance" }],
    ] as const) {
      const reply = asking(era, answers).ask(params);
      if (era === "legacy") expect(await reply).toMatchObject({ code: -32602 });
      else await expect(reply).rejects.toMatchObject({ code: "rpc_error" });
    }
  });
});

test("modern URLs: agreed to, and asked again until the server is content", async () => {
  let round = 0;
  const url = { mode: "url", url: "https://example.com/", message: "m" };
  const server = scripted(
    modernScript({
      call: () =>
        ++round < 4
          ? {
              resultType: "input_required",
              inputRequests: { q: { method: "elicitation/create", params: url } },
            }
          : { resultType: "complete", ...text("done") },
    }),
    { answers: { elicitUrl: accept } },
  );
  await using client = await connect(server.options);
  expect((await client.callTool("one", {})).result).toMatchObject(text("done"));
  const answers = server.received.flatMap(({ params }) => params.inputResponses ?? []);
  expect(answers).toEqual(Array.from({ length: 3 }, () => ({ q: { action: "accept" } })));
});
