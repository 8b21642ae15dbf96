/** A served host without servers. */
import { type Seen, testFace } from "./faces.ts";
import { type KitOptions, serveOver } from "./kit.ts";

/** A served host without servers, with the routes of faces.ts. */
export function served(options: KitOptions = {}) {
  const seen: Seen = { asked: [], signals: [] };
  return Object.assign(serveOver({}, { faces: [testFace(seen)], ...options }), { seen });
}
