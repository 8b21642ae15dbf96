/** What is said where a value of an expansion is missing, and what is asked for. */
import { expect, test } from "bun:test";

import { expandServer } from "../../lib/config/expand.ts";
import { context, stdio } from "./expand-kit.ts";
import { errorOf } from "./kit.ts";

const missing: [text: string, message: string, hint: string | undefined][] = [
  [
    "${EMPTY:-${UNSET}}",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "${UNSET}",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "${env:UNSET}",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "$env:UNSET",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "{env:UNSET}",
    "the environment variable UNSET is not set",
    "set UNSET, or write ${UNSET:-default}",
  ],
  [
    "${toString}",
    "the environment variable toString is not set",
    "set toString, or write ${toString:-default}",
  ],
  ["${secret:no-such}", "the secret no-such is not there", "set MCPHOST_SECRET_NO_SUCH"],
  [
    "${input:no-such}",
    "the input no-such has no value",
    "give --input no-such=VALUE, or set MCPHOST_INPUT_NO_SUCH",
  ],
  ["${file:none}", "there is no file /conf/none", undefined],
  ["{file:none}", "there is no file /conf/none", undefined],
  [
    "${fileDirname}/x",
    "${fileDirname} is known in an editor alone",
    "write what it is to mean here, or set the environment variable fileDirname",
  ],
];

test.each(missing)("%s names server, field and variable", async (text, message, hint) => {
  const error = await errorOf(() => expandServer(stdio({ args: ["x", text] }), context()));
  expect(error.code).toBe("config");
  expect(error.message).toBe(`server "s": args[1]: ${message}`);
  expect(error.hint).toBe(hint);
  expect(error.facts).toMatchObject({ server: "s", field: "args[1]", file: "/conf/servers.json" });
  expect(error.facts.variable).toBeString();
});

test("says where the home folder is needed and unknown", async () => {
  const error = await errorOf(() =>
    expandServer(stdio({ env: { P: "~/x" } }), context({ home: undefined })),
  );
  expect([error.message, error.hint]).toEqual([
    `server "s": env.P: nothing says where the home folder is`,
    "set HOME",
  ]);
});

test("asks for an input that nothing else answers, and prefers what was given", async () => {
  const asked: string[] = [];
  const ask = (id: string) => {
    asked.push(id);
    return Promise.resolve(id === "never" ? undefined : `asked ${id}`);
  };
  const { server } = await expandServer(
    stdio({ args: ["${input:one}", "${input:given}", "${input:fallback}"] }),
    context({ ask }),
  );
  expect(server.args).toEqual(["asked one", "given-value", "asked fallback"]);
  expect(asked).toEqual(["one", "fallback"]);
  expect(
    (await errorOf(() => expandServer(stdio({ args: ["${input:never}"] }), context({ ask })))).code,
  ).toBe("config");
});
