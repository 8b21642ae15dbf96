/** Calls of a tool whose result is given. */
import { mcphost } from "../harness.ts";
import { faulty } from "./kit.ts";

/** A call of the tool whose result is exactly this text. */
export const answered = (result: string, ...words: string[]) =>
  mcphost("call", "fault", ...words, "--", ...faulty("results.literal", result));
/** The same of a tool that promises a structure. */
export const promised = (result: string, ...words: string[]) =>
  mcphost("call", "fault", ...words, "--", ...faulty("results.literal-with-schema", result));
