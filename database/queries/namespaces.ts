import { sql } from "kysely";
import { NAMESPACE_BODY } from "../../catapult/state/namespace.js";
import { bool, bytea, int2, int8, nullable } from "../binary/rows.js";
import { rowBodies } from "../bodies/state-bodies.js";
import { isActiveAt } from "./state-entries.js";

/** By their names in the body, the columns. */
const COLUMNS = {
  ...{ level0: "level0", level1: "level1", level2: "level2", aliasType: "alias_type" },
  ...{ aliasMosaicId: "alias_mosaic_id", aliasAddress: "alias_address", ownerAddress: "owner_address" },
  ...{ startHeight: "start_height", endHeight: "end_height" },
};
const values = Object.fromEntries(Object.entries(COLUMNS).map(([name, column]) => [name, sql.ref(`d.${column}`)]));

/** The bodies of namespaces, with what follows from the head. */
export const NAMESPACE_BODIES = rowBodies(
  NAMESPACE_BODY.write,
  {
    ...{ level0: bytea, level1: nullable(bytea), level2: nullable(bytea), aliasType: int2 },
    ...{ aliasMosaicId: nullable(bytea), aliasAddress: nullable(bytea), ownerAddress: bytea },
    ...{ startHeight: int8, endHeight: nullable(int8), active: bool, index: int8 },
  },
  [...Object.values(COLUMNS), "earlier_end_heights"],
  {
    ...values,
    active: isActiveAt("d.end_height", sql`(select height from head)`),
    // Earlier registrations whose end is not final.
    index: sql`(
      select count(*) from unnest(d.earlier_end_heights) e where ${isActiveAt("e", sql`(select finalized_height from head)`)})`,
  },
);
