/** The fixture server with every feature, at the far end of a memory link. */
import { silent } from "../../lib/base/log.ts";
import { connect } from "../../lib/client/client.ts";
import type { ConnectOptions } from "../../lib/client/connect-types.ts";
import type { McpClient } from "../../lib/client/types.ts";
import type { Message } from "../../lib/protocol/jsonrpc.ts";
import type { Era } from "../../lib/protocol/mcp.ts";
import { memoryPair } from "../../lib/transport/memory.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { duplex } from "../fixtures/remote/duplex.ts";
import { State } from "../fixtures/remote/state.ts";
import type { Incoming } from "./kit.ts";

export const eras = ["legacy", "modern"] as const;

export interface Served extends AsyncDisposable {
  client: McpClient;
  state: State;
  received: Incoming[];
  methods(): string[];
  /** Ends the link as a process does that dies. */
  drop(): void;
  /** Says something to the client that the server did not. */
  say(message: object): void;
}

/** A client of the fixture server, over memory. */
export async function served(era: Era, extra: Partial<ConnectOptions> = {}): Promise<Served> {
  const state = new State();
  const received: Incoming[] = [];
  let end: Transport | undefined;
  const drop = () => void end?.[Symbol.asyncDispose]();
  const client = await connect({
    name: "far",
    clientInfo: { name: "test", version: "0" },
    answers: {},
    log: silent,
    signal: new AbortController().signal,
    ...extra,
    async open() {
      const [near, far] = memoryPair();
      end = far;
      const send = (message: Message) => void far.send(message)?.catch(() => {});
      const link = duplex(state, { era, send, drop });
      void (async () => {
        for await (const item of far.incoming) {
          if (!("message" in item)) continue;
          received.push({ params: {}, ...item.message } as Incoming);
          link.take(item.message);
        }
        link.end();
      })();
      return near;
    },
  });
  return {
    client,
    state,
    received,
    drop,
    say: (message) => void end?.send({ jsonrpc: "2.0", ...message } as Message),
    methods: () => received.flatMap(({ method }) => method ?? []),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
