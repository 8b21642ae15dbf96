/** The end of the server: what is still answered, what is told, and how long it takes. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { served } from "./served-kit.ts";

describe("the end", () => {
  test("running requests end, no new ones begin", async () => {
    const release = Promise.withResolvers<Response>();
    let isAsked = false;
    const face = () => [
      {
        method: "GET" as const,
        path: "/slow",
        handle() {
          isAsked = true;
          return release.promise;
        },
      },
    ];
    await using it = serveOver({}, { faces: [face] });
    const { port } = it.served;
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
    const connect = async () => {
      const seen = { said: "", isClosed: false };
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: port!,
        socket: {
          data: (_socket, bytes) => void (seen.said += bytes.toString()),
          close: () => void (seen.isClosed = true),
        },
      });
      return Object.assign(seen, { write: (text: string) => void socket.write(text) });
    };
    const [fresh, used, busy] = await Promise.all([connect(), connect(), connect()]);
    used.write(get("/nothing"));
    await waitFor(() => used.said.includes("not_found"));
    busy.write(get("/slow"));
    await waitFor(() => isAsked);
    const stop = it.served.stop();
    expect(it.served.context.stopping.aborted).toBe(true);
    isAsked = false;
    fresh.write(get("/slow"));
    await waitFor(() => fresh.isClosed && used.isClosed);
    await expect(fetch(`${it.served.url}/slow`)).rejects.toThrow();
    expect([isAsked, busy.isClosed]).toEqual([false, false]);
    release.resolve(new Response("done"));
    await stop;
    await waitFor(() => busy.said.endsWith("done"));
  });

  test("those that do not end are told, within the bound", async () => {
    await using it = served({ graceMs: 100 });
    const told = it.ask("/hang/told");
    const hanging = it.ask("/hang");
    await waitFor(() => it.seen.signals.length === 2);
    await it.served.stop();
    expect(await (await told).text()).toBe("told");
    const answer = await hanging;
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { error: { code: "cancelled" } },
    ]);
  });

  test("streams end at once, and by themselves", async () => {
    await using it = served({ graceMs: 600_000 });
    const stream = await it.ask("/stream");
    await it.served.stop();
    expect(await stream.text()).toStartWith("event: begin\n");
  });

  test("a second call closes at once", async () => {
    await using it = served({ graceMs: 60_000 });
    const hanging = it.ask("/hang").then(
      (answer) => answer.status,
      () => "closed",
    );
    await waitFor(() => it.seen.signals.length === 1);
    void it.served.stop();
    await it.served.stop();
    await it.served.closed;
    expect([503, "closed"]).toContain(await hanging);
  });

  test("under load each request is answered, refused or cut, and it closes", async () => {
    await using it = serveOver({ a: {} }, { graceMs: 500 });
    await it.served.context.discovery.done;
    const end = new AbortController();
    const results: string[] = [];
    const client = async () => {
      while (!end.signal.aborted)
        results.push(
          await it.ask("/tools", { json: { tool: "a_echo", params: { x: 1 } } }).then(
            async (answer) => `${answer.status} ${(await answer.text()).slice(0, 24)}`,
            () => "closed",
          ),
        );
    };
    const clients = Array.from({ length: 8 }, client);
    await waitFor(() => results.length > 40);
    await it.served.stop();
    end.abort();
    await Promise.all(clients);
    expect(results.filter((result) => result.startsWith("200 ")).length).toBeGreaterThan(40);
    const others = results.filter((result) => !/^(200 |503 |closed)/.test(result));
    expect(others).toEqual([]);
  });
});
