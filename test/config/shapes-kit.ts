/** What the tests of shapes share: servers as they are without words of their own, and the check of one shape. */
import { expect } from "bun:test";

import { configOf, plain } from "./kit.ts";

const lazy = { protocol: "auto", lifecycle: "lazy" };

/** A server over stdio that says nothing of itself but its command. */
export const stdio = { ...lazy, kind: "stdio", args: [], env: {} };

/** A server over HTTP that says nothing of itself but its address. */
export const http = { ...lazy, kind: "http", transport: "auto", headers: {} };

/** A config as one host writes it, and the servers that it names. */
export interface Shape {
  from: string;
  file?: string;
  text: string;
  servers: object[];
}

/** The servers of the shape are read, and nothing is wrong with any. */
export async function reads({ text, file, servers }: Shape): Promise<void> {
  const config = await configOf(text, file);
  expect(config.bad).toEqual([]);
  expect(config.warnings).toEqual([]);
  expect(config.servers.map(plain)).toEqual(servers as Record<string, unknown>[]);
}
