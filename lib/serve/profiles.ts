/** Choices of tools that clients ask for in an address: `?profile=NAME` of the config's, and `?tools=GLOB`. */
import { globOf, matchesGlob } from "../base/glob.ts";
import { nearest } from "../base/nearest.ts";
import type { Profile } from "../config/types.ts";
import { HttpError } from "./http-error.ts";

/** Whether a tool may be seen and called; by all of its names. */
type Allows = (names: readonly string[]) => boolean;

/** Of an exchange: its address, and who asks. */
export interface Asked {
  readonly request: { readonly url: string };
  readonly url: URL;
  readonly caller: { allows: Allows };
}

/** The profiles of the config, as it is now. */
export class Profiles {
  #known: Readonly<Record<string, Profile>>;

  constructor(known: Readonly<Record<string, Profile>>) {
    this.#known = known;
  }

  replace(known: Readonly<Record<string, Profile>>): void {
    this.#known = known;
  }

  /** Whether these are others. */
  differ(others: Readonly<Record<string, Profile>>): boolean {
    return !Bun.deepEquals(Object.entries(this.#known), Object.entries(others));
  }

  /**
   * What a caller may see at an address: of several profiles, or several globs, one is enough; of both kinds, each. It is
   * looked up anew each time, for clients stay: one whose profile is gone sees nothing.
   * @throws HttpError 404: an unknown profile, with those that there are; 400: too many globs
   */
  narrowed(asked: Asked): Allows {
    const { allows } = asked.caller;
    // Most have no query, and a URL costs more than all else here.
    return asked.request.url.includes("?") ? this.#narrowedBy(asked.url, allows) : allows;
  }

  // --- internal ---

  #narrowedBy(url: URL, allows: Allows): Allows {
    const globs = globsIn(url);
    const names = [...new Set(url.searchParams.getAll("profile"))];
    for (const name of names) if (this.#globsOf(name) === undefined) throw this.#unknown(name);
    if (globs.length + names.length === 0) return allows;
    return (tool) =>
      allows(tool) &&
      (globs.length === 0 || globs.some((glob) => tool.some(glob))) &&
      (names.length === 0 || names.some((name) => matchesAny(this.#globsOf(name) ?? [], tool)));
  }

  #globsOf(name: string): readonly string[] | undefined {
    return Object.hasOwn(this.#known, name) ? this.#known[name]?.tools : undefined;
  }

  #unknown(name: string): HttpError {
    const known = Object.keys(this.#known);
    return new HttpError(
      404,
      "not_found",
      `no profile is called ${JSON.stringify(name.slice(0, 100))}`,
      {
        facts: { profiles: known, nearest: nearest(name, known) },
        hint:
          known.length === 0
            ? "the config has no profiles"
            : `the profiles are ${known.slice(0, shownMax).join(", ")}`,
      },
    );
  }
}

/** Whether one of the globs means a tool, by any of its names. */
export function matchesAny(globs: readonly string[], names: readonly string[]): boolean {
  return globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
}

// --- internal ---

const shownMax = 20;
/** Of one address: each is held against each name of all tools. */
const globsMax = 64;

/** @throws HttpError 400 */
function globsIn({ searchParams }: URL): ((name: string) => boolean)[] {
  const globs = new Set(searchParams.getAll("tools"));
  if (globs.size > globsMax)
    throw new HttpError(400, "bad_request", `an address has at most ${globsMax} globs of tools`);
  return Array.from(globs, (glob) => globOf(glob));
}
