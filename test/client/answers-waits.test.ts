/** Questions that take a person's time, and questions that nobody can answer. */
import { describe, expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import { asking, form } from "./answers-kit.ts";
import { text } from "./kit.ts";

describe.each(["legacy", "modern"] as const)("%s", (era) => {
  test("a person may take longer than the call's idle time", async () => {
    const { server } = asking(era, {
      elicit: async () => {
        await Bun.sleep(400);
        return { action: "accept" };
      },
    });
    await using client = await connect(server.options);
    const { result } = await client.callTool("one", {}, { timeoutMs: 150, timeoutMaxMs: 300 });
    expect(result).toMatchObject(text("done"));
  });
});

describe("B097 a question that nobody can answer", () => {
  test("is refused at once, and the log tells what was asked", async () => {
    const { ask, server } = asking("legacy", {});
    expect(await ask({ message: "Your name?" })).toMatchObject({ code: -32601 });
    expect(server.received[1]?.params.capabilities ?? {}).not.toHaveProperty("elicitation");
    expect(server.log.find(({ level }) => level === "warn")?.text).toContain("Your name?");
  });

  test("an answerer that throws is an error to the server, and nothing hangs", async () => {
    const { ask } = asking("legacy", {
      elicit: async () => {
        throw new Error("no terminal");
      },
    });
    expect(await ask(form({}))).toMatchObject({ code: -32603, message: "no terminal" });
  });
});
