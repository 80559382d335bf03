import { METADATA_BODY } from "../../../catapult/state/metadata.js";
import { query } from "../route/argument.js";
import { address, artifactId, hash, kindNumber } from "../route/argument-types.js";
import { pageOf } from "../route/page.js";
import { stateRoutes } from "../route/state.js";

const NAMESPACE_METADATA = 2;

export const metadataRoutes = stateRoutes({
  tag: "Metadata",
  path: "/metadata",
  kind: "metadata",
  result: METADATA_BODY.schema,
  page: pageOf("MetadataPage", METADATA_BODY.schema),
  field: "metadata",
  search: ["searchMetadataEntries", "Metadata entries that match all given conditions."],
  arguments: {
    sourceAddress: query(address, "Address of the account that created the entry."),
    targetAddress: query(address, "Address of the account, or of the owner of the mosaic or namespace."),
    scopedMetadataKey: query(artifactId, "Key of the entry."),
    targetId: query(artifactId, "Id of the mosaic or namespace; zeros for account metadata."),
    metadataType: query(kindNumber(NAMESPACE_METADATA), "0 account, 1 mosaic, 2 namespace."),
  },
  type: hash,
  key: ["compositeHash", "Composite hash of the entry."],
  keys: ["compositeHashes", "Composite hashes of entries."],
  found: "metadataByHashes(compositeHashes: $keys)",
  get: ["getMetadata", "A metadata entry."],
  post: ["getMetadataEntries", "Metadata entries by composite hashes."],
  merkle: "getMetadataMerkle",
});
