/** `GET /openapi.json`: the tools that a caller may see, as an OpenAPI 3.1 document. */
import { documentOf } from "./openapi-document.ts";
import { policiesOf, toolsNow } from "./tools-now.ts";
import type { Face } from "./types.ts";

export const openapiRoutes: Face = (context) => {
  const now = toolsNow(context);
  return [
    {
      method: "GET",
      path: "/openapi.json",
      async handle(exchange) {
        const { caller, url } = exchange;
        const tools = await now({ allows: context.profiles.narrowed(exchange) });
        const policies = await policiesOf(context, tools);
        const { hasToken } = caller;
        return Response.json(documentOf(tools, { url: url.origin, hasToken, policies }));
      },
    },
  ];
};
