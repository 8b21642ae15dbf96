/** Servers whose tools have given schemas. */
import { faulty } from "./kit.ts";

/** The words for a server that lists these tools. */
export const server = (list: unknown[]) => ["--", ...faulty("lists.listed", JSON.stringify(list))];
/** The schema of an object with these properties. */
export const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  ...more,
});
