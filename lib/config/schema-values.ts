/** The kinds of values that a config holds, each with its message. What they mean is said where they are used. */
import * as v from "valibot";

/** An optional key, with words for editors. */
export const key = <const S extends v.GenericSchema>(schema: S, words: string) =>
  v.optional(v.pipe(schema, v.description<v.InferOutput<S>, string>(words)));

export const text = v.string("a string");
export const texts = v.array(text, "an array of strings");
export const textMap = v.record(text, text, "an object of strings");
export const flag = v.boolean("true or false");
export const ms = v.pipe(
  v.number("a number of milliseconds"),
  v.minValue(0, "a number of milliseconds, 0 or more"),
);
export const count = v.pipe(
  v.number("a whole number"),
  v.integer("a whole number"),
  v.minValue(1, "a whole number, 1 or more"),
);
export const whole = v.pipe(
  v.number("a whole number"),
  v.integer("a whole number"),
  v.minValue(0, "a whole number, 0 or more"),
);
export const choice = <const T extends string[]>(words: T) =>
  v.picklist(words, `one of ${words.join(", ")}`);
