/** What the fixture servers of the conformance suite offer: names and contents that its scenarios ask for. */

/** A picture of one pixel. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** A sound without a sample. */
export const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (said: string) => ({ type: "text" as const, text: said });
const image = { type: "image" as const, data: png, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, said: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: said },
});

/** Tools that always answer the same. */
export const plainTools = {
  test_simple_text: [text("This is a simple text response for testing.")],
  test_image_content: [image],
  test_audio_content: [{ type: "audio" as const, data: wav, mimeType: "audio/wav" }],
  test_embedded_resource: [
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ],
  test_multiple_content_types: [
    text("Multiple content types test:"),
    image,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
};

/** What a tool that works for a while tells meanwhile. */
export const progress = [0, 50, 100];
export const logs = ["Tool execution started", "Tool processing data", "Tool execution completed"];

export const resources = {
  "test://static-text": {
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  "test://static-binary": { mimeType: "image/png", blob: png },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched resource content" },
};

export const template = "test://template/{id}/data";
export const templateText = (id: string) =>
  JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });

const user = <Content>(content: Content) => ({ role: "user" as const, content });

/** Prompts, each with the names of its arguments and the messages that it makes of them. */
export const prompts = {
  test_simple_prompt: {
    args: [],
    messages: () => [user(text("This is a simple prompt for testing."))],
  },
  test_prompt_with_arguments: {
    args: ["arg1", "arg2"],
    messages: ({ arg1, arg2 }: Record<string, string>) => [
      user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
    ],
  },
  test_prompt_with_embedded_resource: {
    args: ["resourceUri"],
    messages: ({ resourceUri = "" }: Record<string, string>) => [
      user(embedded(resourceUri, "text/plain", "Embedded resource content for testing.")),
      user(text("Please process the embedded resource above.")),
    ],
  },
  test_prompt_with_image: {
    args: [],
    messages: () => [user(image), user(text("Please analyze the image above."))],
  },
};

/** A schema of every kind of keyword that has to survive. */
export const schemaTool = {
  name: "json_schema_2020_12_tool",
  description: "Tool with JSON Schema 2020-12 features",
  inputSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object" as const,
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  },
};

/** Arguments that HTTP headers repeat. */
export const headerSchema = {
  type: "object" as const,
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    query: { type: "string" },
  },
  required: ["region"],
};
