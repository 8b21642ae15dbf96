/** That no plugin ends the process: what it was asked about would seem to be done. Nothing of our own is changed by this. */

/** From now on `process.exit` throws. The entry, which does end the process, has kept the real one. */
export function staysAlive(): void {
  process.exit = (code) => {
    const given = code === undefined || code === null ? "" : code;
    throw new Error(`process.exit(${given}) was called, and a plugin does not end the process`);
  };
}
