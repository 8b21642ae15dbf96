/**
 * Opens a URL in the person's own browser: an argv, never a shell, in a session of its own, so that it outlives us and no
 * Ctrl-C of ours reaches it. Which URLs may be opened is decided elsewhere.
 */

/** Whether there is anything to open a browser on: a desktop, or a command of the person's own. */
export function hasBrowser(env: Readonly<Record<string, string | undefined>>): boolean {
  if (process.platform === "darwin" || process.platform === "win32") return true;
  return Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["BROWSER"]);
}

/** Hands the URL over; false where nothing took it. Waits at most `handOverMs`. */
export async function openBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  try {
    const proc = Bun.spawn(browserCommand(url, process.platform), {
      env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
      windowsHide: true,
    });
    proc.unref();
    // Openers end at once; one that goes on is the browser itself.
    const code = await Promise.race([proc.exited, Bun.sleep(handOverMs)]);
    return typeof code !== "number" || code === 0;
  } catch {
    return false;
  }
}

/** What opens a URL on a platform. Pure. */
export function browserCommand(url: string, platform: NodeJS.Platform): string[] {
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}

// --- internal ---

const handOverMs = 2000;
