import { path } from "../route/argument.js";
import { address } from "../route/argument-types.js";
import { listRoute } from "../route/page.js";
import type { Route } from "../route/route.js";
import { stateFilter, statePage, stateRoutes } from "../route/state.js";

const owner = path(address, stateFilter("hashLock").address!.description);

export const lockRoutes: readonly Route[] = [
  ...stateRoutes("hashLock"),
  listRoute(
    {
      ...{ path: "/account/{address}/lock/hash", operationId: "searchAccountHashLocks", tag: "Hash locks" },
      summary: "Hash locks in the order in which the index first saw them.",
    },
    { arguments: { address: owner }, result: statePage("hashLock"), field: "hashLocks" },
  ),
  ...stateRoutes("secretLock"),
  listRoute(
    {
      ...{ path: "/account/{address}/lock/secret", operationId: "searchAccountSecretLocks", tag: "Secret locks" },
      summary: "Secret locks that match all given conditions.",
    },
    {
      arguments: { ...stateFilter("secretLock"), address: owner },
      result: statePage("secretLock"),
      field: "secretLocks",
    },
  ),
];
