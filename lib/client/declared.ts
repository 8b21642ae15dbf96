/** What we declare to servers: exactly what somebody here, or behind us, can answer. Pure. */
import { version } from "../../package.json";
import { isObject } from "../base/json.ts";
import type { Capabilities } from "../protocol/mcp.ts";
import { namesModes } from "../protocol/meta.ts";
import { modernRevisions } from "../protocol/modern.ts";
import type { Answers } from "./answer-types.ts";

/** Who we say that we are, to every server. */
export const clientInfo = { name: "mcphost", version } as const;

/** The capabilities to declare in a revision (protocol.md 1.2, 1.14). */
export function capabilitiesOf(answers: Answers, revision: string): Capabilities {
  const { roots, elicit, elicitUrl, sample, sampleTools, relay } = answers;
  if (relay !== undefined) return relayedCapabilities(relay.capabilities, revision);
  const modes = namesModes(revision)
    ? { ...(elicit && { form: {} }), ...(elicitUrl && { url: {} }) }
    : {};
  return {
    ...(roots && { roots: {} }),
    ...(sample && { sampling: sampleTools && namesModes(revision) ? { tools: {} } : {} }),
    ...((elicit || "url" in modes) && { elicitation: modes }),
    ...(modernRevisions.includes(revision) && { extensions }),
  };
}

/** Without a mode it is forms (protocol.md 1.14). */
export function modesOf(elicitation: unknown): { form: boolean; url: boolean } {
  if (!isObject(elicitation)) return { form: false, url: false };
  const url = isObject(elicitation.url);
  return { url, form: isObject(elicitation.form) || !url };
}

// --- internal ---

/** The extensions that we speak (protocol.md 1.17); whatever else a server declares is left alone. */
const extensions = { "io.modelcontextprotocol/tasks": {} };

/** What somebody behind us declares, as a revision says it. */
function relayedCapabilities(declared: Capabilities, revision: string): Capabilities {
  const { roots, sampling, elicitation } = declared;
  const isModern = modernRevisions.includes(revision);
  const modes = modesOf(elicitation);
  const names = namesModes(revision);
  return {
    ...(isObject(roots) && { roots: isModern ? {} : roots }),
    ...(isObject(sampling) && { sampling: names ? sampling : {} }),
    ...((modes.form || (modes.url && names)) && {
      elicitation: names ? { ...(modes.form && { form: {} }), ...(modes.url && { url: {} }) } : {},
    }),
    ...(isModern && { extensions }),
  };
}
