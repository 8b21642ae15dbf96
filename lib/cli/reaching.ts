/** The part of a line that says how its servers are found and reached, so that they can be again: kept, or as words to copy. Pure. */
import { commonFlags, serverFlags } from "./flags.ts";
import type { Parsed } from "./types.ts";

/** Flags that name servers and say how they are reached; what is only about one run is left out. */
const reachingFlags = [
  "config",
  "config-json",
  "server",
  "env",
  "inherit-env",
  "header",
  "cwd",
  "protocol",
  "input",
  "no-user-config",
] as const;

/** What else a call to copy needs: a server that is not answered may hide tools, or not be trusted; plugins bring some. */
const callingFlags = ["elicit", "plugin", "trust"] as const;

/** The flags of a line that reach its servers again. */
export function reachingOf(
  { flags }: Pick<Parsed, "flags">,
  names: readonly string[] = reachingFlags,
): Record<string, string | boolean | string[]> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = flags[name];
      return value === undefined || (Array.isArray(value) && value.length === 0)
        ? []
        : [[name, value]];
    }),
  );
}

/** The words that name the servers again, for an example that can be copied. */
export function reachingWords(parsed: Parsed): string[] {
  const given = reachingOf(parsed, [...reachingFlags, ...callingFlags]);
  const words = Object.entries(given).flatMap(([name, value]) => {
    if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`];
    const [short] = { ...commonFlags, ...serverFlags }[name]?.alias ?? [];
    const flag = short?.length === 1 ? `-${short}` : `--${name}`;
    const values = typeof value === "string" ? [value] : value;
    return values.flatMap((one) => (one.startsWith("-") ? [`${flag}=${one}`] : [flag, one]));
  });
  return [...words, ...(parsed.rest === undefined ? [] : ["--", ...parsed.rest])];
}
