import type { Behaviour } from "../../compatibility/compatibility.js";
import type { Route } from "../route/route.js";
import { stateRoutes } from "../route/state.js";
import { accountRoutes } from "./accounts.js";
import { announcementRoutes } from "./announcements.js";
import { blockExportRoutes } from "./block-export.js";
import { blockRoutes } from "./blocks.js";
import { chainRoutes } from "./chain.js";
import { depositRoutes } from "./deposits.js";
import { eventRoutes } from "./events.js";
import { finalizationRoutes } from "./finalization.js";
import { holderExportRoutes } from "./holder-export.js";
import { lockRoutes } from "./locks.js";
import { metalRoutes } from "./metal.js";
import { movementsExportRoutes } from "./movements-export.js";
import { multisigRoutes } from "./multisig.js";
import { namespaceRoutes } from "./namespaces.js";
import { networkRoutes } from "./network.js";
import { nodeRoutes } from "./node.js";
import { serverRoutes } from "./server.js";
import { simulationRoutes } from "./simulation.js";
import { statementRoutes } from "./statements.js";
import { transactionExportRoutes } from "./transaction-export.js";
import { transactionStatusRoutes } from "./transaction-statuses.js";
import { transactionRoutes } from "./transactions.js";

/** Every route. Handlers, validation, `/openapi.json` and `/docs` are generated from this table. */
export const routes: readonly Route[] = [
  ...serverRoutes,
  ...chainRoutes,
  ...blockRoutes,
  ...blockExportRoutes,
  ...transactionRoutes,
  ...transactionExportRoutes,
  ...transactionStatusRoutes,
  ...announcementRoutes,
  ...simulationRoutes,
  ...statementRoutes,
  ...accountRoutes,
  ...depositRoutes,
  ...movementsExportRoutes,
  ...stateRoutes("mosaic"),
  ...holderExportRoutes,
  ...namespaceRoutes,
  ...multisigRoutes,
  ...stateRoutes("metadata"),
  ...metalRoutes,
  ...lockRoutes,
  ...stateRoutes("accountRestriction"),
  ...stateRoutes("mosaicRestriction"),
  ...finalizationRoutes,
  ...networkRoutes,
  ...nodeRoutes,
  ...eventRoutes,
];

const INTERFACES = "/";

/** The routes of a mode. */
export function routesIn({ hidesInterfaces }: Behaviour): readonly Route[] {
  return hidesInterfaces ? routes.filter(({ path }) => path !== INTERFACES) : routes;
}
