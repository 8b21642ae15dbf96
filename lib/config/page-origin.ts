/** How browsers name whose page asks: of a site, and of an app or an extension that has a scheme of its own. Pure. */

const host = String.raw`(\[[\da-fA-F:.]+\]|[^\s/?#@:[\]]+)(:\d{1,5})?\/?`;

/** An origin of the web, where servers are, too. */
export const webOrigin = new RegExp(`^https?://${host}$`);

/**
 * An origin of a page: `https://page.example`, `chrome-extension://ID`, `tauri://localhost`. No page has one of the schemes
 * that are left out. Editors are told of it, and know no flags.
 */
export const pageOrigin = new RegExp(`^(?!(?:ftp|file|wss?):)[a-zA-Z][a-zA-Z\\d+.-]*://${host}$`);
