/** Which server's resource is meant, where only a template says so. */
import { expect, test } from "bun:test";

import type { ResourceListing } from "../../lib/host/feature-types.ts";
import { havingUri, nearestUris } from "../../lib/host/resource-lookup.ts";

function listing(...templates: [server: string, uriTemplate: string][]): ResourceListing {
  return {
    resources: [],
    templates: templates.map(([server, uriTemplate]) => ({ server, uriTemplate, name: server })),
    failed: [],
    warnings: [],
  } as unknown as ResourceListing;
}

const all = listing(
  ["a", "data://{id}{?format}"],
  ["b", "data://b/{id}"],
  ["a", "file:///{+path}"],
  ["b", "files://all/{path*}"],
  ["c", "data://{key}"],
);

test.each([
  ["data://b/5", ["b"]],
  ["data://123?format=xml", ["a", "c"]],
  ["file:///x/y.txt", ["a"]],
  ["files://all/a/b/c", ["b"]],
  ["data:/b/5", []],
])("%s is of the template with most fixed text", (uri, servers) => {
  expect(havingUri(uri, all).map(({ server }) => server)).toEqual(servers);
});

test("what was asked for is not what was meant instead", () => {
  const resources = ["note:///1", "note:///2"].map((uri) => ({ server: "a", uri, name: uri }));
  const listed = { ...all, resources } as unknown as ResourceListing;
  expect(nearestUris("note:///3", listed)).toEqual(["note:///1", "note:///2"]);
  expect(nearestUris("note:///1", listed)).toEqual(["note:///2"]);
});
