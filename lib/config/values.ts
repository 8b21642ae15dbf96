/**
 * The values behind references, for one server: environment, secrets, inputs, files, folders. Collects those that must
 * not be shown. Nothing is read but through the context.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { baseName, type Env, folderOf, resolvePath } from "./paths.ts";
import { editorNames, readReferences, type Reference, strangeForms } from "./references.ts";
import { mayBeSecret, mayBeSecretOf, shellName } from "./secrets.ts";
import type { Config, ServerConfig } from "./types.ts";

/** Where values come from. */
export interface ExpandContext {
  /** Holds `MCPHOST_SECRET_NAME` and `MCPHOST_INPUT_ID` too. */
  env: Env;
  /** Absolute. `${workspaceFolder}`, but for an entry that was found: that one's is its config's folder. */
  cwd: string;
  home: string | undefined;
  /** `--input ID=VALUE`. */
  given: ReadonlyMap<string, string>;
  /** What the configs say about their inputs. */
  inputs: Config["inputs"];
  /** Asks a person for an input; undefined where nobody can be asked, or nobody answers. */
  ask?: ((id: string, input: Config["inputs"][string]) => Promise<string | undefined>) | undefined;
  /** The text of a file; undefined where there is none (`readValue` of files.ts). */
  readFile: (path: string) => Promise<string | undefined>;
}

/** Fills in the texts of one server. Every error names server, field and variable. */
export class Values {
  /** Values that must not be shown, as far as they were met. */
  readonly secrets: string[] = [];
  /** What was odd in the texts, for a person: each begins with the field. */
  readonly warnings: string[] = [];
  /** The folder that relative paths are seen from, and `${configDir}`. */
  readonly folder: string;
  readonly #about: string;
  readonly #server: Pick<ServerConfig, "name" | "origin">;
  readonly #context: ExpandContext;
  /** `${workspaceFolder}`: of what was found in a project, that project. */
  readonly #project: string;

  /** @param about what errors begin with. @default the server */
  constructor(
    server: Pick<ServerConfig, "name" | "origin">,
    context: ExpandContext,
    about = `server "${server.name}"`,
  ) {
    const { file, kind } = server.origin;
    this.#server = server;
    this.#about = about;
    this.#context = context;
    this.folder = file === undefined ? context.cwd : folderOf(file);
    this.#project = kind === "found" ? this.folder : context.cwd;
  }

  /** @throws HostError `config` */
  async text(text: string, field: string): Promise<string> {
    for (const form of strangeForms(text, (name) => this.#env(name) !== undefined))
      this.warnings.push(`${field}: ${form}`);
    return this.#fill(text, field);
  }

  /** The text of a file, seen from the config's folder. @throws HostError `config` */
  async file(path: string, field: string): Promise<string> {
    const home = /^~(?=[\\/])/.test(path);
    const whole = resolvePath(this.folder, home ? this.#home(field) + path.slice(1) : path);
    let text: string | undefined;
    try {
      text = await this.#context.readFile(whole);
    } catch (cause) {
      const why = isHostError(cause) ? cause.message : `${whole} cannot be read`;
      throw this.error(field, why, { variable: path, cause });
    }
    if (text !== undefined) return text;
    throw this.error(field, `there is no file ${whole}`, { variable: path });
  }

  error(
    field: string,
    why: string,
    { variable, hint, cause }: { variable?: string; hint?: string; cause?: unknown } = {},
  ): HostError {
    const { name, origin } = this.#server;
    return new HostError("config", `${this.#about}: ${field}: ${why}`, {
      facts: {
        server: name,
        field,
        ...(variable === undefined ? {} : { variable }),
        ...(origin.file === undefined ? {} : { file: origin.file }),
      },
      ...(hint === undefined ? {} : { hint }),
      cause,
    });
  }

  async #fill(text: string, field: string): Promise<string> {
    let result = "";
    for (const part of readReferences(text))
      result += typeof part === "string" ? part : await this.#value(part, field);
    return result;
  }

  #value(reference: Reference, field: string): string | Promise<string> {
    switch (reference.kind) {
      case "own":
        return this.#own(reference.name, field);
      case "env":
        return this.#variable(reference, field);
      case "secret":
        return this.#secret(reference.name, field);
      case "input":
        return this.#input(reference.name, field);
      case "file":
        return this.#fileValue(reference.name, field);
    }
  }

  #own(name: string, field: string): string {
    if (name === "workspaceFolder") return this.#project;
    if (name === "workspaceFolderBasename") return baseName(this.#project);
    if (name === "configDir") return this.folder;
    if (name === "cwd") return this.#context.cwd;
    if (name === "userHome") return this.#home(field);
    return process.platform === "win32" ? "\\" : "/";
  }

  #home(field: string): string {
    if (this.#context.home !== undefined) return this.#context.home;
    const options = { variable: "HOME", hint: "set HOME" };
    throw this.error(field, "nothing says where the home folder is", options);
  }

  async #variable({ name, fallback }: Reference, field: string): Promise<string> {
    let result = this.#env(name);
    // As in a shell: with a default, an empty variable counts as unset.
    if (fallback !== undefined) result ||= await this.#fill(fallback, field);
    if (result === undefined && editorNames.has(name))
      throw this.error(field, `\${${name}} is known in an editor alone`, {
        variable: name,
        hint: `write what it is to mean here, or set the environment variable ${name}`,
      });
    if (result === undefined)
      throw this.error(field, `the environment variable ${name} is not set`, {
        variable: name,
        hint: `set ${name}, or write \${${name}:-default}`,
      });
    const isOpen = /^(?:args|roots)\[|^(?:command|cwd|envFile)$/.test(field);
    if (isOpen ? mayBeSecretOf(name, result) : mayBeSecret(result)) this.secrets.push(result);
    return result;
  }

  #secret(name: string, field: string): string {
    const value =
      this.#env(`MCPHOST_SECRET_${name}`) ?? this.#env(shellName("MCPHOST_SECRET_", name));
    if (value === undefined)
      throw this.error(field, `the secret ${name} is not there`, {
        variable: name,
        hint: `set ${shellName("MCPHOST_SECRET_", name)}`,
      });
    this.secrets.push(value);
    return value;
  }

  async #input(id: string, field: string): Promise<string> {
    const { given, inputs, ask } = this.#context;
    const described = Object.hasOwn(inputs, id) ? inputs[id] : undefined;
    const about = described ?? {};
    const value =
      given.get(id) ??
      this.#env(`MCPHOST_INPUT_${id}`) ??
      this.#env(shellName("MCPHOST_INPUT_", id)) ??
      (await ask?.(id, about)) ??
      about.default;
    if (value === undefined)
      throw this.error(field, `the input ${id} has no value`, {
        variable: id,
        hint: `give --input ${id}=VALUE, or set ${shellName("MCPHOST_INPUT_", id)}`,
      });
    const { options } = about;
    if (options && !options.some((option) => option.value === value))
      throw this.error(field, `the input ${id} has a value that is none of its options`, {
        variable: id,
        hint: `give --input ${id}=VALUE, one of ${options.map((option) => option.value).join(", ")}`,
      });
    // Of an input that no config describes nobody says that it may be shown.
    if (about.password ?? described === undefined) this.secrets.push(value);
    return value;
  }

  async #fileValue(path: string, field: string): Promise<string> {
    // As `$(cat FILE)`: the line ends that editors put behind a token are not part of it.
    const value = (await this.file(path, field)).replace(/[\r\n]+$/, "");
    this.secrets.push(value);
    return value;
  }

  #env(name: string): string | undefined {
    return Object.hasOwn(this.#context.env, name) ? this.#context.env[name] : undefined;
  }
}
