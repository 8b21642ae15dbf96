/** Streamable HTTP: a legacy server that only takes requests (202), and answers on its own stream. */
import { describe, expect, test } from "bun:test";

import {
  event,
  failure,
  greet,
  modern,
  open,
  serve,
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";

const accepted = () => new Response("Accepted", { status: 202 });

describe("a request that was only taken", () => {
  test("is answered on the server's own stream, in any order", async () => {
    const own = stream();
    await using server = serve((seen) => {
      if (seen.http === "GET") return own.response;
      return seen.method?.startsWith("tools/") ? accepted() : undefined;
    });
    await using link = open(server.url);
    await greet(link.peer);
    const [first, second] = ["tools/list", "tools/call"].map((method) =>
      link.peer.request(method, {}, soon),
    );
    await until(() => server.of("tools/call").length === 1);
    const [firstId, secondId] = ["tools/list", "tools/call"].map((kind) => server.of(kind)[0]?.id);
    own.write(event({ jsonrpc: "2.0", id: secondId, result: { n: 2 } }));
    own.write(event({ jsonrpc: "2.0", id: firstId, error: { code: -32602, message: "no" } }));
    expect((await second)?.response.result).toEqual({ n: 2 });
    expect(await failure(first!)).toMatchObject({ code: -32602, message: "no" });
  });

  test("fails as soon as that stream is over, and is not waited for longer than any", async () => {
    const own = stream();
    await using server = serve((seen) => {
      if (seen.http === "GET") return server.of("GET").length === 1 ? own.response : undefined;
      return seen.method === "tools/call" ? accepted() : undefined;
    });
    await using link = open(server.url, { times: { reconnectMs: 1 } });
    await greet(link.peer);
    const late = failure(link.peer.request("tools/call", {}, { timeoutMs: 100 }));
    expect(await late).toMatchObject({ code: "timeout" });
    const call = failure(link.peer.request("tools/call", {}, soon));
    await until(() => server.of("tools/call").length === 2);
    own.end();
    expect(await call).toMatchObject({ code: "server_exit", facts: { httpStatus: 202 } });
  });

  test("a modern server has no such stream", async () => {
    await using server = serve(accepted);
    await using link = open(server.url);
    expect(await failure(link.peer.request("first", modern(), soon))).toMatchObject({
      code: "server_exit",
    });
  });
});
