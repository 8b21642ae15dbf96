/** `--profile NAME`: what of all tools the one client of a gateway is shown. */
import { HostError } from "../base/errors.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import type { Config } from "../config/types.ts";
import { matchesAny } from "../serve/profiles.ts";
import { listOf } from "./flags.ts";
import type { FlagTable, Parsed } from "./types.ts";

export const profileFlags: FlagTable = {
  profile: {
    type: "string",
    valueHint: "NAME",
    repeat: true,
    description: "show the tools of that profile of the config only",
  },
};

/** Whether a tool may be seen and called, by all of its names; of several profiles one is enough. @throws HostError `usage` */
export function profiledBy(
  { flags }: Parsed,
  { profiles }: Pick<Config, "profiles">,
): (names: readonly string[]) => boolean {
  const asked = listOf(flags["profile"]);
  if (asked.length === 0) return () => true;
  const globs = asked.flatMap((name) => {
    if (Object.hasOwn(profiles, name)) return profiles[name]?.tools ?? [];
    const known = Object.keys(profiles);
    const all = known.length === 0 ? "the config has no profiles" : `they are ${known.join(", ")}`;
    throw new HostError("usage", `--profile ${name}: no profile here is called so`, {
      facts: { nearest: nearest(name, known) },
      hint: didYouMean(nearest(name, known)) ?? all,
    });
  });
  return (names) => matchesAny(globs, names);
}
