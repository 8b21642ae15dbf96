/** `/`: in plain text, what there is to ask. */
import type { Route } from "./types.ts";

/** A route that lists the others. */
export function rootRoute(routes: readonly Route[]): Route {
  const lines = routes.map(({ method, path }) => `${method.padEnd(7)}${path}\n`).toSorted(byPath);
  return {
    method: "GET",
    path: "/",
    handle: () => new Response(`mcphost serve\n\n${lines.join("")}`),
  };
}

// --- internal ---

function byPath(one: string, other: string): number {
  return one.slice(7) < other.slice(7) ? -1 : Number(one.slice(7) > other.slice(7));
}
