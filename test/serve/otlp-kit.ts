/** A collector of spans on loopback. */
import { fixtureKit } from "./rest-kit.ts";

interface Got {
  path: string;
  headers: Record<string, string>;
  body: any;
}

/** What was posted to it, and the spans of it. */
export interface Collector extends AsyncDisposable {
  url: string;
  got: Got[];
  spans(): any[];
}

/** Takes what is posted, and answers as it is told. */
export function collector(
  answer: (at: number) => Response | Promise<Response> = accepted,
): Collector {
  const got: Got[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      got.push({ path: pathname, headers, body: await request.json() });
      return await answer(got.length - 1);
    },
  });
  return {
    url: server.url.origin,
    got,
    spans: () => got.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** The answer of a collector that took all. */
export function accepted(): Response {
  return Response.json({ partialSuccess: {} });
}

/** A server whose tool gives back the `_meta` that it got. */
export const program = `import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
  const meta = (_args, message) => text(JSON.stringify(message.params._meta ?? null));
  const fails = () => ({ ...text("private"), isError: true });
  const refuse = (_args, message, server) => server.fail(message, -32050, "no: s3cr3t");
  await serve({ tools: [tool("meta"), tool("fails"), tool("refuse")], calls: { meta, fails, refuse } });`;

/** The trace of a caller. */
export const traceId = "0af7651916cd43dd8448eb211c80319c";

/** The span of a caller. */
export const parentSpanId = "b7ad6b7169203331";
