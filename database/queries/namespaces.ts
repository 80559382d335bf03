import { sql } from "kysely";
import { NAMESPACE_BODY } from "../../catapult/state/namespace.js";
import { bool, bytea, int2, int8, nullable } from "../binary/rows.js";
import { rowBodies } from "../bodies/state-bodies.js";
import { isActiveAt } from "./state-entries.js";

/** The bodies of namespaces, with what follows from the head. */
export const NAMESPACE_BODIES = rowBodies(
  NAMESPACE_BODY.write,
  {
    ...{ levels: bytea, aliasType: int2, alias: nullable(bytea), ownerAddress: bytea },
    ...{ startHeight: int8, endHeight: nullable(int8), active: bool, index: int8 },
  },
  [
    ...["level0", "level1", "level2", "alias_type", "alias_mosaic_id", "alias_address", "owner_address"],
    ...["start_height", "end_height", "earlier_end_heights"],
  ],
  {
    levels: sql`d.level0 || coalesce(d.level1, '') || coalesce(d.level2, '')`,
    aliasType: sql`d.alias_type`,
    alias: sql`coalesce(d.alias_mosaic_id, d.alias_address)`,
    ownerAddress: sql`d.owner_address`,
    startHeight: sql`d.start_height`,
    endHeight: sql`d.end_height`,
    active: isActiveAt("d.end_height", sql`(select height from head)`),
    // Earlier registrations whose end is not final.
    index: sql`case when d.earlier_end_heights = '{}' then 0 else (
      select count(*) from unnest(d.earlier_end_heights) e
      where ${isActiveAt("e", sql`(select finalized_height from head)`)}) end`,
  },
);
