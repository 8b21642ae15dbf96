/** What the tests of editing share: a file with comments, and an edit of its text. */
import { editServers, type ServerEdit } from "../../lib/config/edit.ts";

/** The file that is edited. */
export const of = {
  origin: { file: "/x/a.json", label: "a.json", kind: "named" },
  folder: "/x",
} as const;

/** The text after an edit. */
export function edited(text: string | undefined, edit: ServerEdit): string {
  return editServers(text, edit, of).text;
}

/** A file with comments in every place. */
export const commented = `// top
{
  "mcpServers": {
    "a": { "command": "x" }, // about a
    // before b
    "b": {
      "command": "y", // its command
      "args": ["1.10", 12345678901234567890] /* its args */
    } // behind b
  }, // tail
  "other": [1, /* one */ 2]
}
`.replace("12345678901234567890", '"n"');

/** Adds the server `c`. */
export function add(entry: object): ServerEdit {
  return { do: "add", name: "c", entry: entry as never };
}
