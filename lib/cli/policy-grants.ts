/** What `tools --policy` says where a tool was always allowed: grants answer what is asked about. It gives none and takes none. */
import { isHostError } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/types.ts";
import { definitionOf, grantFor, hashOf } from "../hooks/grants.ts";
import { serverKey } from "../host/config-key.ts";
import type { Judgement } from "../host/opened-types.ts";
import type { HostTool } from "../host/types.ts";
import { openStore } from "../store/store.ts";
import type { Grant } from "../store/types.ts";
import { isStore, storePlace } from "./store-place.ts";
import type { Io } from "./types.ts";

/** The judgements, one for each tool, with what grants make of those that ask. A store that cannot be read is a warning. */
export async function withGrants(
  judgements: readonly Judgement[],
  tools: readonly HostTool[],
  { config, io, log }: { config: Config; io: Io; log: Log },
): Promise<readonly Judgement[]> {
  if (!judgements.some((one) => one.do === "ask")) return judgements;
  try {
    const grants = await grantsOf(config, io, log);
    return judgements.map((judgement, at) => {
      const tool = tools[at];
      const server = config.servers.find(({ name }) => name === tool?.server);
      if (judgement.do !== "ask" || tool === undefined || server === undefined) return judgement;
      const own = grants.filter((grant) => grant.server === server.name);
      return granted(judgement, tool, { grants: own, key: serverKey(server).config });
    });
  } catch (error) {
    if (!isHostError(error)) throw error;
    log({ level: "warn", text: `what is always allowed is not known: ${error.message}` });
    return judgements;
  }
}

// --- internal ---

/** Those of the person here that hold in any session. @throws HostError `config` */
async function grantsOf(config: Config, io: Io, log: Log): Promise<Grant[]> {
  const place = await storePlace(config, io);
  if (!(await isStore(place))) return [];
  await using store = await openStore({ ...place, log });
  const all = await store.grants.list("default");
  return all.filter(({ session }) => session === undefined);
}

function granted(
  judgement: Judgement,
  found: HostTool,
  { grants, key }: { grants: readonly Grant[]; key: string },
): Judgement {
  const about = { tool: found.tool, session: "", config: key };
  const definition = hashOf(definitionOf(found));
  const covering = (grant: Grant, args: JsonObject) =>
    grantFor([grant], { ...about, definition, arguments: args }).grant !== undefined;
  const whole = grants.find((grant) => grant.arguments === undefined && covering(grant, {}));
  if (whole !== undefined) return { ...judgement, do: "allow", rule: nameOf(whole) };
  const some = grants.flatMap((grant) => {
    const { arguments: args } = grant;
    if (args === undefined || !covering(grant, parseJson(args) as JsonObject)) return [];
    return [`allow with ${args}, by ${nameOf(grant)}`];
  });
  const depends = [...(judgement.dependsOnArguments ?? []), ...some];
  return { ...judgement, ...(depends.length > 0 && { dependsOnArguments: depends }) };
}

function nameOf({ id }: Grant): string {
  return `grant ${id.slice(0, 8)}`;
}
