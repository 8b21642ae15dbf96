/** The schemas of a plugin's tool: as JSON Schema for whoever asks, and what makes arguments of what was sent. */
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { plainJson, shownValue, thrownText } from "../hooks/frozen.ts";
import type { StandardSchema } from "../hooks/plugin-tool.ts";

/**
 * As JSON Schema; that of valibot is made into one. `direction`: what goes in, or what comes out (transformed, defaulted).
 * @throws HostError `config`: it is no schema
 */
export async function jsonSchemaOf(
  schema: unknown,
  direction: "input" | "output",
  where: string,
): Promise<JsonObject> {
  try {
    if (!isStandard(schema)) return plainJson(schema).value as JsonObject;
    const { vendor } = schema["~standard"];
    if (vendor !== "valibot") throw new TypeError(`schemas of ${vendor} are not known here`);
    const { toJsonSchema } = await import("@valibot/to-json-schema");
    const options = { typeMode: direction, errorMode: "ignore" } as const;
    // It says nothing of the draft that it is in but in this key, which no server sends.
    const { $schema: _, ...made } = toJsonSchema(schema as never, options) as JsonObject;
    return made;
  } catch (error) {
    throw new HostError("config", `${where}: it is no schema: ${thrownText(error)}`, {
      facts: { found: shownValue(schema) },
      hint: "a schema is one of valibot, or a JSON Schema",
      cause: error,
    });
  }
}

/** What a schema makes of arguments (defaults, transformations); those of a JSON Schema stay as they are. */
export async function parsed(
  schema: unknown,
  args: JsonObject,
): Promise<{ value: unknown } | { problems: string[] }> {
  if (!isStandard(schema)) return { value: args };
  const result = (await schema["~standard"].validate(args)) as {
    value?: unknown;
    issues?: readonly { message: string; path?: readonly unknown[] }[];
  };
  if (result.issues === undefined) return { value: result.value };
  return { problems: result.issues.map(({ message, path = [] }) => `${pathText(path)}${message}`) };
}

// --- internal ---

function isStandard(schema: unknown): schema is StandardSchema {
  return (
    (typeof schema === "object" || typeof schema === "function") &&
    schema !== null &&
    "~standard" in schema
  );
}

function pathText(path: readonly unknown[]): string {
  const keys = path.map((item) =>
    typeof item === "object" && item !== null && "key" in item ? String(item.key) : String(item),
  );
  return keys.length === 0 ? "" : `${keys.join(".")}: `;
}
