/** What a plugin gets for `mcphost` and `valibot`: the copies that run here, installed or not, in the binary, too. */
import * as valibot from "valibot";

import { isHostError } from "../base/errors.ts";
import { definePlugin } from "../hooks/plugin.ts";
import type { HostOptions } from "../host/option-types.ts";

/** The module's public names, as `mcphost.ts` exports them. */
export const ownExports = {
  createHost: async (options: HostOptions) =>
    await (await import("../host/create.ts")).createHost(options),
  definePlugin,
  isHostError,
};

/** For every module that is loaded from now on. */
export function ownModules(): void {
  Bun.plugin({
    name: "modules of the host",
    setup(builder) {
      builder.module("mcphost", () => ({ exports: ownExports, loader: "object" }));
      builder.module("valibot", () => ({ exports: valibot, loader: "object" }));
    },
  });
}
