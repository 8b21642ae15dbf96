/**
 * TOML as a value, by `Bun.TOML`; what cannot be parsed is an error with its line, which `Bun.TOML` does not give.
 * Objects have no prototype. Pure.
 */
import { plainNumbers } from "./jsonc.ts";
import { faultyLine, type ParsedText, syntaxError, type TextSource } from "./problems.ts";

/** @throws HostError `config`, with the line where it can be told */
export function parseToml(text: string, source: TextSource): ParsedText {
  try {
    return { value: plainNumbers(Bun.TOML.parse(text)), warnings: [] };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^TOML Parse error: /, "") : "";
    throw syntaxError(source, why, faultyLine(text, Bun.TOML.parse), { cause });
  }
}
