import { MOSAIC_BODY } from "../../../catapult/state/mosaic.js";
import { query } from "../route/argument.js";
import { address, artifactId } from "../route/argument-types.js";
import { pageOf } from "../route/page.js";
import { stateRoutes } from "../route/state.js";

export const mosaicRoutes = stateRoutes({
  tag: "Mosaics",
  path: "/mosaics",
  kind: "mosaic",
  result: MOSAIC_BODY.schema,
  page: pageOf("MosaicPage", MOSAIC_BODY.schema),
  field: "mosaics",
  search: ["searchMosaics", "Mosaics that match all given conditions."],
  arguments: { ownerAddress: query(address, "Address of the account that created the mosaic.") },
  type: artifactId,
  key: ["mosaicId", "Id of the mosaic itself, not of a namespace that points to it."],
  keys: ["mosaicIds", "Ids of the mosaics themselves."],
  found: "mosaicsByIds(ids: $keys)",
  get: ["getMosaic", "A mosaic."],
  post: ["getMosaics", "Mosaics by ids."],
  merkle: "getMosaicMerkle",
});
