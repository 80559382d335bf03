import { sql } from "kysely";
import { storedBodies } from "../bodies/bodies.js";
import { Collection } from "../lists/collections.js";
import { isActiveAt } from "./end-height.js";
import { stateNoun } from "./state-nouns.js";

interface NamespaceFilter {
  readonly ownerAddress?: Buffer | undefined;
  /** 0 root, 1 child. */
  readonly registrationType?: number | undefined;
  /** The root and everything below it. */
  readonly level0?: bigint | undefined;
  /** 0 none, 1 mosaic, 2 address. */
  readonly aliasType?: number | undefined;
}

const META = '"meta":{"index":0';

/**
 * The REST body as of the head: `meta.active` is true until the namespace ends, `meta.index` is the number of earlier
 * registrations whose end is not final.
 */
const BODIES = storedBodies(
  sql`(
  select replace(d.document, ${sql.lit(META)}, '"meta":{"active":'
    || case when ${isActiveAt("d.end_height", sql`h.height`)} then 'true' else 'false' end
    || ',"index":' || (select count(*) from unnest(d.earlier_end_heights) e where ${isActiveAt("e", sql`h.finalized_height`)}))
  from head h)`,
  ["document", "end_height", "earlier_end_heights"],
);

/** By their ids, including ended ones until the end is final. */
export const namespaces = stateNoun<bigint, NamespaceFilter>("namespace_id", {
  table: "namespaces",
  collection: Collection.namespaces,
  conditions: {
    ownerAddress: { column: "owner_address", counted: Collection.namespacesByOwner },
    registrationType: { column: "registration_type", counted: Collection.namespacesByRegistrationType },
    level0: { column: "level0" },
    aliasType: { column: "alias_type", counted: Collection.namespacesByAliasType },
  },
  bodies: BODIES,
});
