/** All that is served, in one list: a face is a line. */
import { approvalRoutes } from "./approvals.ts";
import { callRoutes } from "./calls.ts";
import { eventsRoutes } from "./events.ts";
import { gatewayRoutes } from "./gateway-http.ts";
import { metricsRoutes } from "./metrics.ts";
import { openapiRoutes } from "./openapi.ts";
import { serversEditRoutes } from "./servers-edit.ts";
import { healthRoutes, serversRoutes } from "./status.ts";
import { toolRoutes } from "./tools.ts";
import type { Face } from "./types.ts";

export const faces: readonly Face[] = [
  healthRoutes,
  serversRoutes,
  serversEditRoutes,
  metricsRoutes,
  eventsRoutes,
  toolRoutes,
  openapiRoutes,
  callRoutes,
  approvalRoutes,
  gatewayRoutes,
];
