import { sql } from "kysely";
import { storedBodies } from "../bodies/bodies.js";
import { bytesIn, idIn, numberIn } from "../lists/state-page.js";
import { isActiveAt } from "./state-entries.js";
import { stateNoun } from "./state-nouns.js";

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
export const namespaces = stateNoun(idIn("namespace_id"), {
  table: "namespaces",
  collection: 54,
  conditions: {
    ownerAddress: bytesIn("owner_address", 55),
    registrationType: numberIn("registration_type", 56),
    level0: idIn("level0"),
    aliasType: numberIn("alias_type", 57),
  },
  bodies: BODIES,
});
