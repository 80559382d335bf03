import { AccountRestrictionsInfoDTO } from "../../../catapult/body/account-restriction.js";
import { MosaicRestrictionDTO } from "../../../catapult/body/mosaic-restriction.js";
import { MAX_KEYS, MAX_LARGE_KEYS } from "../../../schema/graph/state.js";
import { pageOf } from "../body/page.js";
import { bodyList, path, query } from "./argument.js";
import { address, artifactId, hash, kindNumber } from "./argument-types.js";
import type { Route } from "./route.js";
import { stateGetRoute, statePathRoute, statePostRoute, stateSearchRoute } from "./state.js";

const tag = "Restrictions";
const MOSAIC_RULES = 1;
const ofAccounts = {
  type: address,
  result: AccountRestrictionsInfoDTO,
  operation: "query ($keys: [Address!]!) { found: accountRestrictionsByAddresses(addresses: $keys) { document } }",
};
const ofMosaics = {
  type: hash,
  result: MosaicRestrictionDTO,
  operation: "query ($keys: [Hash256!]!) { found: mosaicRestrictionsByHashes(compositeHashes: $keys) { document } }",
};
const addressDescription = "Address of the account.";
const hashDescription = "Hash of mosaic and account (zeros for the mosaic's rules).";

export const restrictionRoutes: readonly Route[] = [
  stateSearchRoute(
    {
      path: "/restrictions/account",
      operationId: "searchAccountRestrictions",
      tag,
      summary: "Account restrictions in the order in which the index first saw them.",
    },
    {
      arguments: { address: query(address, addressDescription) },
      result: pageOf("AccountRestrictionsPage", AccountRestrictionsInfoDTO),
      types: { address: "Address" },
      field: "accountRestrictions",
    },
  ),
  stateGetRoute(
    {
      path: "/restrictions/account/{address}",
      operationId: "getAccountRestrictions",
      tag,
      summary: "Restrictions of an account.",
    },
    ofAccounts,
    "address",
    addressDescription,
  ),
  statePostRoute(
    {
      path: "/restrictions/account",
      operationId: "getAccountRestrictionsBatch",
      tag,
      summary: "Restrictions of accounts.",
    },
    ofAccounts,
    "addresses",
    bodyList(address, "Addresses of accounts.", MAX_LARGE_KEYS),
  ),
  statePathRoute(
    { path: "/restrictions/account/{address}/merkle", operationId: "getAccountRestrictionsMerkle", tag },
    {
      arguments: { address: path(address, addressDescription) },
      kind: "accountRestriction",
      key: (values) => values.address,
    },
  ),
  stateSearchRoute(
    {
      path: "/restrictions/mosaic",
      operationId: "searchMosaicRestrictions",
      tag,
      summary: "Rules of mosaics and values of accounts that match all given conditions.",
    },
    {
      arguments: {
        mosaicId: query(artifactId, "Id of the mosaic."),
        entryType: query(kindNumber(MOSAIC_RULES), "0 accounts' values, 1 mosaics' rules."),
        targetAddress: query(address, "Address of the account with the values."),
      },
      result: pageOf("MosaicRestrictionsPage", MosaicRestrictionDTO),
      types: { mosaicId: "ArtifactId", entryType: "Int", targetAddress: "Address" },
      field: "mosaicRestrictions",
    },
  ),
  stateGetRoute(
    {
      path: "/restrictions/mosaic/{compositeHash}",
      operationId: "getMosaicRestrictions",
      tag,
      summary: "The rules of a mosaic, or the values of an account.",
    },
    ofMosaics,
    "compositeHash",
    hashDescription,
  ),
  statePostRoute(
    {
      path: "/restrictions/mosaic",
      operationId: "getMosaicRestrictionsBatch",
      tag,
      summary: "Mosaic restrictions by composite hashes.",
    },
    ofMosaics,
    "compositeHashes",
    bodyList(hash, "Hashes of mosaic and account.", MAX_KEYS),
  ),
  statePathRoute(
    { path: "/restrictions/mosaic/{compositeHash}/merkle", operationId: "getMosaicRestrictionsMerkle", tag },
    {
      arguments: { compositeHash: path(hash, hashDescription) },
      kind: "mosaicRestriction",
      key: (values) => values.compositeHash,
    },
  ),
];
