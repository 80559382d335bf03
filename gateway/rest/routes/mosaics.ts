import { MosaicInfoDTO } from "../../../catapult/body/mosaic.js";
import { idKey } from "../../../catapult/state/id-key.js";
import { MAX_KEYS } from "../../../schema/graph/state.js";
import { pageOf } from "../body/page.js";
import { bodyList, path, query } from "./argument.js";
import { address, artifactId } from "./argument-types.js";
import type { Route } from "./route.js";
import { stateGetRoute, statePathRoute, statePostRoute, stateSearchRoute } from "./state.js";

const tag = "Mosaics";
const lookUp = {
  type: artifactId,
  result: MosaicInfoDTO,
  operation: "query ($keys: [ArtifactId!]!) { found: mosaicsByIds(ids: $keys) { document } }",
};
const idDescription = "Id of the mosaic itself, not of a namespace that points to it.";

export const mosaicRoutes: readonly Route[] = [
  stateSearchRoute(
    { path: "/mosaics", operationId: "searchMosaics", tag, summary: "Mosaics that match all given conditions." },
    {
      arguments: { ownerAddress: query(address, "Address of the account that created the mosaic.") },
      result: pageOf("MosaicPage", MosaicInfoDTO),
      types: { ownerAddress: "Address" },
      field: "mosaics",
    },
  ),
  stateGetRoute(
    { path: "/mosaics/{mosaicId}", operationId: "getMosaic", tag, summary: "A mosaic." },
    lookUp,
    "mosaicId",
    idDescription,
  ),
  statePostRoute(
    { path: "/mosaics", operationId: "getMosaics", tag, summary: "Mosaics by ids." },
    lookUp,
    "mosaicIds",
    bodyList(artifactId, "Ids of the mosaics themselves.", MAX_KEYS),
  ),
  statePathRoute(
    { path: "/mosaics/{mosaicId}/merkle", operationId: "getMosaicMerkle", tag },
    {
      arguments: { mosaicId: path(artifactId, idDescription) },
      kind: "mosaic",
      key: (values) => idKey(values.mosaicId),
    },
  ),
];
