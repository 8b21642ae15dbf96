/** How a server of the host is used, and called. Types only. */
import type { Cancel } from "../base/cancel.ts";
import type { JsonObject } from "../base/json.ts";
import type { Caller, CallOptions as ClientCallOptions } from "../client/types.ts";
import type { HttpServer, ServerConfig, StdioServer } from "../config/types.ts";
import type { CallTrack } from "../hooks/call.ts";
import type { Transport } from "../transport/transport.ts";

/** What a host owns: servers of a config, and those in memory that hold the tools of plugins. */
export type HostedConfig = ServerConfig | PluginServer;

type Common = Omit<Pick<StdioServer, keyof StdioServer & keyof HttpServer>, "kind">;

/** A server in memory: it needs no trust, no process and no address. Its tools keep their names, whatever others claim. */
export interface PluginServer extends Common {
  kind: "plugin";
  open: () => Promise<Transport>;
}

export interface UseOptions {
  signal: AbortSignal;
  /** The longest wait for a start that is put off, and for a list. @default for a start, the server's `timeoutMs` */
  waitMs?: number | undefined;
  /** It changes nothing, so that a remote server may be asked again where its answer was lost. @default false */
  harmless?: boolean | undefined;
  /** The list itself is wanted, and not only what a name means: one whose time is over is fetched anew. @default false */
  listing?: boolean | undefined;
  /** A bare name means what is listed by now: nobody waits for servers that the name does not name. @default false */
  listedOnly?: boolean | undefined;
}

/** As of a client's call; both are always there. */
export type CallOptions = ClientCallOptions & {
  cancel: Cancel;
  timeoutMs: number;
};

/** A call for a server, which hears how it goes. */
export interface ServerCall extends Cancel, Caller {
  readonly owner: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Waited for right before each time that it is sent (`sending`). Where that throws, nothing is sent. */
  readonly track?: CallTrack;
}
