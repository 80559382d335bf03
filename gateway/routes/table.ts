import { announcementRoutes } from "./announcements.js";
import { blockRoutes } from "./blocks.js";
import { chainRoutes } from "./chain.js";
import { finalizationRoutes } from "./finalization.js";
import { nodeRoutes } from "./node.js";
import type { Route } from "./route.js";
import { serverRoutes } from "./server.js";
import { statementRoutes } from "./statements.js";
import { transactionRoutes } from "./transactions.js";

/** Every route. Handlers, validation, `/openapi.json` and `/docs` are made of this table. */
export const routes: readonly Route[] = [
  ...serverRoutes,
  ...chainRoutes,
  ...blockRoutes,
  ...transactionRoutes,
  ...announcementRoutes,
  ...statementRoutes,
  ...finalizationRoutes,
  ...nodeRoutes,
];
