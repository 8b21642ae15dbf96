/** HTTP+SSE: the stream is opened with our name, within its time, and every refusal says what it was. */
import { describe, expect, test } from "bun:test";

import { version } from "../../package.json";
import { waitFor } from "../processes.ts";
import { failure, open, request, scripted } from "./sse-kit.ts";

describe("opening", () => {
  test("stream and posts say who asks", async () => {
    const agents: (string | null)[] = [];
    const note = ({ headers }: Request) => void agents.push(headers.get("user-agent"));
    await using server = scripted({
      get: (asked) => void note(asked) as undefined,
      post: (asked) => (note(asked), new Response("")),
    });
    await using link = await open(server.url);
    await link.transport.send(request(1));
    await waitFor(() => agents.length === 2, "both");
    expect(agents).toEqual(Array(2).fill(`mcphost/${version}`));
  });

  test("no address within the time", async () => {
    await using server = scripted({ first: "" });
    const { code, message, facts, hint } = await failure(server.url, { startTimeoutMs: 50 });
    expect(code).toBe("server_start");
    expect(message).toBe('server "srv" named no address for messages within 50 ms');
    expect(facts).toMatchObject({ server: "srv", timeoutMs: 50, sent: false });
    expect(hint).toContain("endpoint");
    await waitFor(() => server.cancelled === 1, "the stream to be let go");
  });

  test("no answer at all within the time", async () => {
    const never = Promise.withResolvers<Response>();
    await using server = scripted({ get: () => never.promise });
    expect((await failure(server.url, { startTimeoutMs: 50 })).code).toBe("server_start");
    never.resolve(new Response());
  });

  test("given up", async () => {
    await using server = scripted({ first: "" });
    const abort = new AbortController();
    const opening = failure(server.url, { signal: abort.signal });
    abort.abort(new Error("enough"));
    expect((await opening).code).toBe("cancelled");
    expect((await failure(server.url, { signal: abort.signal })).code).toBe("cancelled");
  });

  test("the stream ends before the address", async () => {
    await using server = scripted({ first: "" });
    const opening = failure(server.url);
    server.end();
    const { code, message } = await opening;
    expect(code).toBe("server_start");
    expect(message).toContain("before it named an address");
  });

  test("B028: a page where a stream was expected; told with its beginning, asked for once", async () => {
    let gets = 0;
    await using server = scripted({
      get: () => {
        gets++;
        return new Response("<html>Sign   in</html>", { headers: { "content-type": "text/html" } });
      },
    });
    const { code, message, facts } = await failure(server.url);
    expect(code).toBe("server_start");
    expect(message).toContain("answered with text/html where an event stream was expected");
    expect(message).toContain("Sign in");
    expect(facts.httpStatus).toBe(200);
    expect(gets).toBe(1);
  });

  test.each([400, 404, 405, 406, 500])("B019: refused with %d", async (status) => {
    await using server = scripted({ get: () => new Response("not here", { status }) });
    const { code, message, facts, hint } = await failure(server.url);
    expect(code).toBe("server_start");
    expect(message).toContain(`answered HTTP ${status}`);
    expect(message).toContain("not here");
    expect(facts).toMatchObject({ httpStatus: status, sent: false });
    expect(hint).toContain("HTTP+SSE");
  });

  test.each([401, 403])("refused with %d: a sign-in is needed", async (status) => {
    await using server = scripted({ get: () => new Response("who?", { status }) });
    const { code, hint } = await failure(server.url);
    expect(code).toBe("auth_required");
    expect(hint).toContain("Authorization: Bearer …");
  });

  test.each(["", "application/json", "text/plain; charset=utf-8"])(
    "a stream that is called %j is one all the same",
    async (contentType) => {
      await using server = scripted({ contentType });
      await using link = await open(server.url);
      await link.transport.send(request(1));
      await waitFor(() => server.posts.length === 1, "the message");
    },
  );

  test("a content type with a charset, in any case", async () => {
    await using server = scripted({ contentType: "Text/Event-Stream; charset=utf-8" });
    await using link = await open(server.url);
    expect(link.transport).toBeDefined();
  });

  test("B019: nothing listens there", async () => {
    const server = scripted();
    await server[Symbol.asyncDispose]();
    const { code, facts } = await failure(server.url);
    expect(code).toBe("server_exit");
    expect(facts).toMatchObject({ sent: false, errno: "ECONNREFUSED" });
  });
});
