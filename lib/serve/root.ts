/** `/`: in plain text, what there is to ask. */
import type { Route } from "./types.ts";

/** A route that lists the others. */
export function rootRoute(routes: readonly Route[]): Route {
  const shown = routes.filter((route) => !isName(route, routes));
  const lines = shown.map(({ method, path }) => `${method.padEnd(7)}${path}\n`).toSorted(byPath);
  return {
    method: "GET",
    path: "/",
    handle: () => new Response(`mcphost serve\n\n${lines.join("")}`),
  };
}

// --- internal ---

/** Its last word is a name like any other there, for another method has that path for itself. */
function isName({ method, path }: Route, routes: readonly Route[]): boolean {
  const named = `${path.slice(0, path.lastIndexOf("/") + 1)}:name`;
  return path !== named && routes.some((one) => one.method === method && one.path === named);
}

function byPath(one: string, other: string): number {
  return one.slice(7) < other.slice(7) ? -1 : Number(one.slice(7) > other.slice(7));
}
