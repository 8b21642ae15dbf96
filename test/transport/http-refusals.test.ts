/** Streamable HTTP: a refusal without a JSON-RPC error is an error with the facts, and secrets stay untold. */
import { describe, expect, test } from "bun:test";

import { failure, open, serve, soon, stream } from "../fixtures/http/kit.ts";
import { ask, html } from "./http-answers-kit.ts";

describe("a refusal without one is an error with the facts", () => {
  test.each<[number, string]>([
    [400, "rpc_error"],
    [404, "rpc_error"],
    [405, "rpc_error"],
    [406, "rpc_error"],
    [409, "rpc_error"],
    [410, "rpc_error"],
    [429, "rpc_error"],
    [500, "rpc_error"],
    [502, "server_exit"],
    [503, "rpc_error"],
    [504, "server_exit"],
    [520, "server_exit"],
    [522, "rpc_error"],
    [524, "server_exit"],
  ])("B049: status %d is %s", async (httpStatus, code) => {
    const page = `<html><head><style>x{}</style></head><body><h1>Oh\u0007 no</h1>${"x".repeat(999)}</body></html>`;
    const { error, requests } = await ask(
      new Response(page, { status: httpStatus, headers: html }),
    );
    expect(error).toMatchObject({
      code,
      facts: { server: "srv", method: "first", httpStatus, contentType: "text/html", sent: true },
    });
    expect(error.facts.body).toMatch(/^Oh no x{190,}…$/);
    expect(error.message).toContain(`HTTP ${httpStatus}`);
    expect(requests).toBe(1);
    const nothing = await ask(new Response(null, { status: httpStatus }));
    expect(nothing.error).toMatchObject({ code, facts: { httpStatus } });
  });

  test("when to come back is a fact", async () => {
    const headers = { "retry-after": "7" };
    const { error } = await ask(new Response("later", { status: 429, headers }));
    expect(error.facts).toMatchObject({ httpStatus: 429, retryAfterMs: 7000, body: "later" });
  });

  test("B038: one 503 among several fails that one alone", async () => {
    let count = 0;
    await using server = serve((seen) =>
      seen.method === "call" && ++count === 3 ? new Response("busy", { status: 503 }) : undefined,
    );
    await using link = open(server.url);
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, () => link.peer.request("call", {}, soon)),
    );
    expect(all.filter(({ status }) => status === "rejected")).toHaveLength(1);
    await link.peer.request("call", {}, soon);
  });

  test("B095: neither query nor credentials of the address are told", async () => {
    await using server = serve(() => new Response("no", { status: 500 }));
    const url = server.url.replace("//", "//user:s3cr3t-5@");
    await using link = open(`${url}?key=s3cr3t-6`);
    const error = await failure(link.peer.request("a", {}, soon));
    expect(JSON.stringify([error.message, error.facts, error.hint, link.logs])).not.toContain(
      "s3cr3t",
    );
    expect(error.facts.url).toBe(server.url);
  });

  test("a refusal whose body never ends is told after a while", async () => {
    const { error } = await ask(new Response(stream("wait").response.body, { status: 500 }), {
      times: { refusalMs: 50 },
    });
    expect(error.facts).toMatchObject({ httpStatus: 500, body: "wait" });
  });
});
