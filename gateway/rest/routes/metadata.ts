import { MetadataInfoDTO } from "../../../catapult/body/metadata.js";
import { MAX_KEYS } from "../../../schema/graph/state.js";
import { pageOf } from "../body/page.js";
import { bodyList, path, query } from "./argument.js";
import { address, artifactId, hash, kindNumber } from "./argument-types.js";
import type { Route } from "./route.js";
import { stateGetRoute, statePathRoute, statePostRoute, stateSearchRoute } from "./state.js";

const tag = "Metadata";
const NAMESPACE_METADATA = 2;
const lookUp = {
  type: hash,
  result: MetadataInfoDTO,
  operation: "query ($keys: [Hash256!]!) { found: metadataByHashes(compositeHashes: $keys) { document } }",
};
const hashDescription = "Composite hash of the entry.";

export const metadataRoutes: readonly Route[] = [
  stateSearchRoute(
    {
      path: "/metadata",
      operationId: "searchMetadataEntries",
      tag,
      summary: "Metadata entries that match all given conditions.",
    },
    {
      arguments: {
        sourceAddress: query(address, "Address of the account that created the entry."),
        targetAddress: query(address, "Address of the account, or of the owner of the mosaic or namespace."),
        scopedMetadataKey: query(artifactId, "Key of the entry."),
        targetId: query(artifactId, "Id of the mosaic or namespace; zeros for account metadata."),
        metadataType: query(kindNumber(NAMESPACE_METADATA), "0 account, 1 mosaic, 2 namespace."),
      },
      result: pageOf("MetadataPage", MetadataInfoDTO),
      types: {
        sourceAddress: "Address",
        targetAddress: "Address",
        scopedMetadataKey: "ArtifactId",
        targetId: "ArtifactId",
        metadataType: "Int",
      },
      field: "metadata",
    },
  ),
  stateGetRoute(
    { path: "/metadata/{compositeHash}", operationId: "getMetadata", tag, summary: "A metadata entry." },
    lookUp,
    "compositeHash",
    hashDescription,
  ),
  statePostRoute(
    { path: "/metadata", operationId: "getMetadataEntries", tag, summary: "Metadata entries by composite hashes." },
    lookUp,
    "compositeHashes",
    bodyList(hash, "Composite hashes of entries.", MAX_KEYS),
  ),
  statePathRoute(
    { path: "/metadata/{compositeHash}/merkle", operationId: "getMetadataMerkle", tag },
    {
      arguments: { compositeHash: path(hash, hashDescription) },
      kind: "metadata",
      key: (values) => values.compositeHash,
    },
  ),
];
