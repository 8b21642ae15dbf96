/** The schema of a tool whose arguments are completed. */

/** Arguments of every kind that has values to offer. */
export const schema = {
  properties: {
    mode: { enum: ["fast", "slow one", "@home"] },
    path: { type: "string", description: "Where\n  it is" },
    deep: { type: "boolean" },
    level: { anyOf: [{ const: 1 }, { enum: [2, null] }] },
    size: { type: "integer" },
  },
  required: ["path"],
};
