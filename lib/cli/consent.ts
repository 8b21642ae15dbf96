/**
 * What a person must agree to or tell before a server starts: trust in an entry that was found, and the inputs of a
 * config. Where nobody can be asked the answer is no, and the error says which flag would have answered.
 */
import { HostError } from "../base/errors.ts";
import { folderOf } from "../config/paths.ts";
import { allReferences } from "../config/references.ts";
import type { TrustStore } from "../config/trust.ts";
import type { Config, ServerConfig } from "../config/types.ts";
import { option, questions } from "./ask.ts";
import { shellQuote } from "./tool-help.ts";
import type { Io } from "./types.ts";
import { visibleLine } from "./visible.ts";

/** Everything that a person must see of an entry before trusting it: as written, nothing expanded, nothing left out. */
export function entryWords(server: ServerConfig): string {
  const { name, origin, roots } = server;
  const file = origin.file ?? origin.label;
  const lines = [`server "${name}"`, `  in      ${file}`];
  if (server.kind === "http") {
    lines.push(`  reaches ${server.url}`);
    const headers = Object.entries(server.headers).map(headerWords);
    if (headers.length > 0) lines.push(`  headers ${headers.join(", ")}`);
    const { ca, cert, insecure } = server.tls ?? {};
    if (ca !== undefined) lines.push(`  trusts  ${fileWords(ca)}`);
    if (cert !== undefined) lines.push(`  shows   the certificate ${fileWords(cert)}`);
    if (insecure === true) lines.push("  checks  no certificate: anybody on the way can read it");
  } else {
    lines.push(`  runs    ${[server.command, ...server.args].map(shellQuote).join(" ")}`);
    lines.push(`  folder  ${server.cwd ?? folderOf(file)}`);
    const names = Object.keys(server.env);
    if (server.inheritEnv === true) names.push("(our whole environment)");
    if (names.length > 0) lines.push(`  env     ${names.join(", ")}`);
    if (server.envFile !== undefined) lines.push(`  envFile ${server.envFile}`);
  }
  if (roots !== undefined && roots.length > 0) lines.push(`  roots   ${roots.join(", ")}`);
  // A line of ours is one line: nothing in an entry can begin another.
  return lines.map(visibleLine).join("\n");
}

/** What trust lets an entry do. */
export function powerOf({ kind }: ServerConfig): string {
  return kind === "stdio" ? "can run code as you" : "gets the arguments of every call to it";
}

/** Lets a found entry through if the person trusts it now, which is kept. @throws HostError `denied` */
export async function askTrust(server: ServerConfig, io: Io, store: TrustStore): Promise<void> {
  const asked = questions(io);
  const words = entryWords(server);
  if (
    await asked?.confirm(
      `${words}\n  It was found here, you did not name it, and it ${powerOf(server)}.\n  Trust it?`,
    )
  ) {
    await store.add([server]);
    return;
  }
  const file = server.origin.label;
  throw new HostError(
    "denied",
    `server "${server.name}" of ${file} was found, not named, and is not trusted`,
    {
      facts: { server: server.name, file: server.origin.file ?? file, entry: words },
      hint: `mcphost trust shows it and asks; --trust trusts it for this run; -c ${shellQuote(server.origin.file ?? file)} names it`,
    },
  );
}

/** A header with the references of its value: what of ours would be sent. The value itself may be a secret. */
function headerWords([name, value]: [string, string]): string {
  const sent = allReferences(value).map(({ kind, name: what }) =>
    kind === "env" ? what : `${kind}:${what}`,
  );
  return sent.length === 0 ? name : `${name} (${sent.map((what) => `\${${what}}`).join(" ")})`;
}

function fileWords(file: string): string {
  return file.includes("-----BEGIN ") ? "written in it" : file;
}

/** Asks for an input of a config; undefined where nobody can be asked. */
export async function askInput(
  io: Io,
  id: string,
  input: Config["inputs"][string],
): Promise<string | undefined> {
  const words = input.description ?? `A value for ${id}`;
  const ask = questions(io);
  if (input.options && input.options.length > 0)
    return await ask?.pick(
      words,
      input.options.map(({ value, label }) => option(value, label)),
      input.default,
    );
  return await ask?.text(words, { secret: input.password ?? false, initial: input.default });
}
