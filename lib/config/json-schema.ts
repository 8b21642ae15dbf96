/** The config file as JSON Schema (draft-07), made from the same schemas that check it. Loaded for `config --schema` only. */
import type { JsonObject } from "../base/json.ts";

/** For editors: goes under `$schema`, or into an editor's `json.schemas`. */
export async function configJsonSchema(): Promise<JsonObject> {
  const [{ toJsonSchema }, { ConfigFile }] = await Promise.all([
    import("@valibot/to-json-schema"),
    import("./schema.ts"),
  ]);
  const schema = toJsonSchema(ConfigFile, { typeMode: "input", errorMode: "throw" });
  return { ...(schema as JsonObject), title: "mcphost config" };
}
