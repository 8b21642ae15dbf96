/** The file of a socket that a process left behind when it was killed: it is taken away, but never one that is in use. */
import { HostError } from "../base/errors.ts";

/** @throws HostError `config`: somebody listens there, or it is no socket */
export async function clearSocket(path: string): Promise<void> {
  const { lstat, unlink } = await import("node:fs/promises");
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket())
    throw new HostError("config", `${path} is there already, and is no socket`, {
      facts: { file: path },
      hint: "name another path, or move what is there away",
    });
  if (await answers(path))
    throw new HostError("config", `${path} is taken: another program listens there`, {
      facts: { file: path },
      hint: `lsof ${path} (or ss -lxp) shows which`,
    });
  await unlink(path).catch(() => {});
}

// --- internal ---

/** Nobody is behind it only where the system says so. */
async function answers(path: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix: path, socket: { data() {} } });
    socket.end();
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ECONNREFUSED";
  }
}
