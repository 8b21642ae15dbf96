/** Who we say that we are, to every server. */
import { version } from "../../package.json";

export const clientInfo = { name: "mcphost", version } as const;
