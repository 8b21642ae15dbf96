/** The tokens that `serve` asks for: from its flags, the environment, and the config. What they are is never shown. */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { ourPaths, resolvePath } from "../config/paths.ts";
import type { ServeToken } from "../config/setting-types.ts";
import type { Config } from "../config/types.ts";
import type { Token } from "../serve/types.ts";
import { textOf } from "./flags.ts";
import type { Io, Parsed } from "./types.ts";

/** All of them, ready to be compared. @throws HostError `usage` `config` */
export async function serveTokens(
  { flags }: Parsed,
  config: Config,
  io: Io,
  log: Log,
): Promise<Token[]> {
  const file = textOf(flags["token-file"]);
  const given: [from: string, token: string | undefined][] = [
    ["--token", textOf(flags["token"])],
    ["MCPHOST_TOKEN", io.env["MCPHOST_TOKEN"]],
    [`--token-file ${file}`, file === undefined ? undefined : await readToken(file, io, log)],
  ];
  const own = given.flatMap(([from, token]): Token[] =>
    token === undefined ? [] : [{ name: "default", token: checked(token, from) }],
  );
  if (flags["token"] !== undefined)
    log({
      level: "warn",
      text: "--token stands in the process list: use MCPHOST_TOKEN or --token-file",
    });
  const written = await Promise.all(
    (config.serve.tokens ?? []).map((token, at) => filledIn(token, `tokens[${at}].token`, io)),
  );
  for (const [from, token] of given) sayIfShort(token, from, log);
  for (const [at, { token }] of written.entries()) sayIfShort(token, `tokens[${at}].token`, log);
  const tokens = [...own, ...written];
  io.secrets?.later(() => tokens.map(({ token }) => token));
  return tokens;
}

// --- internal ---

async function readToken(file: string, io: Io, log: Log): Promise<string> {
  const path = resolvePath(io.cwd, file);
  const { readValue } = await import("../config/files.ts");
  const text = await readValue(path);
  if (text === undefined) throw new HostError("usage", `there is no file ${file} (--token-file)`);
  const { mode } = await Bun.file(path).stat();
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    log({ level: "warn", text: `${file} can be read by others: chmod 600 keeps the token yours` });
  return text.trim();
}

async function filledIn(written: ServeToken, field: string, io: Io): Promise<Token> {
  const [{ Values }, { readValue }] = await Promise.all([
    import("../config/values.ts"),
    import("../config/files.ts"),
  ]);
  const { origin = { label: "config", kind: "named" } as const, ...token } = written;
  const values = new Values(
    { name: "serve", origin },
    {
      env: io.env,
      cwd: io.cwd,
      home: ourPaths(io.env).home,
      given: new Map(),
      inputs: {},
      readFile: readValue,
    },
    `serve of ${origin.label}`,
  );
  return { ...token, token: checked(await values.text(token.token, field), field) };
}

/** Below that many characters a token is soon tried out, whatever they are: 16 of base64 hold 96 bits. */
const lengthMin = 16;

function sayIfShort(token: string | undefined, from: string, log: Log): void {
  if (token === undefined || token.length >= lengthMin) return;
  const text = `${from} is short: it may be guessed; openssl rand -hex 16 makes a good one`;
  log({ level: "warn", text });
}

/** What a header can carry. @throws HostError `usage` */
function checked(token: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const why = token === "" ? "it is empty" : "it holds more than one word of ASCII";
  throw new HostError("usage", `${from}: ${why}, and a token is one word`);
}
