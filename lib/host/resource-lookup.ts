/** Which of the resources that servers list is meant by what was written. Pure. */
import { matchesGlob } from "../base/glob.ts";
import { nearest } from "../base/nearest.ts";
import { normalUri } from "../base/uri.ts";
import type { ResourceListing } from "./feature-types.ts";

/** One that may be meant, and the URI that its server is to be asked for. */
interface Having {
  server: string;
  uri: string;
}

/**
 * Those that have a URI: as it is written; else written in another way, since clients that parse URIs write them anew
 * (`%20` for a space) and servers compare text; else by a template. Of several templates the one with most fixed text is
 * meant: `data://b/{id}` rather than `data://{id}`.
 */
export function havingUri(wanted: string, { resources, templates }: ResourceListing): Having[] {
  const exact = resources.filter(({ uri }) => uri === wanted);
  if (exact.length > 0) return exact;
  const normal = normalUri(wanted);
  const same = normal === undefined ? [] : resources.filter(({ uri }) => normalUri(uri) === normal);
  if (same.length > 0) return same;
  const possible = templates.filter(({ uriTemplate }) => mayMean(uriTemplate, wanted));
  const closest = Math.max(...possible.map(({ uriTemplate }) => fixedOf(uriTemplate)));
  return possible
    .filter(({ uriTemplate }) => fixedOf(uriTemplate) === closest)
    .map(({ server }) => ({ server, uri: wanted }));
}

/** Those that have a template. */
export function havingTemplate(wanted: string, { templates }: ResourceListing): Having[] {
  return templates
    .filter(({ uriTemplate }) => uriTemplate === wanted)
    .map(({ server }) => ({ server, uri: wanted }));
}

/** Whether it is `SERVER/URI`. A URI begins with a scheme, and so never with a server's name and a slash. */
export function isQualified(text: string, server: string): boolean {
  if (!text.startsWith(`${server}/`)) return false;
  return scheme.test(text.slice(server.length + 1)) || !scheme.test(text);
}

/** Other URIs than this one. Their ends are compared: their beginnings are often all the same. */
export function nearestUris(wanted: string, { resources, templates }: ResourceListing): string[] {
  const others = resources.filter(({ uri }) => uri !== wanted);
  return nearest(end(wanted), [
    ...others.map(({ uri }) => [uri, end(uri)] as const),
    ...templates.map(({ uriTemplate: template }) => {
      return [template, end(template), end(template.replace(expressions, ""))] as const;
    }),
  ]);
}

// --- internal ---

const expressions = /\{[^{}]*\}/g;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Whether a template could give a URI, as far as its fixed parts tell. */
function mayMean(template: string, uri: string): boolean {
  return matchesGlob(template.replace(expressions, "*"), uri);
}

/** How much of a template is text as it stands. */
function fixedOf(template: string): number {
  return template.replace(expressions, "").length;
}

function end(uri: string): string {
  return uri.slice(-40);
}
