import { HashLockInfoDTO, SecretLockInfoDTO } from "../../../catapult/body/lock.js";
import { MAX_KEYS } from "../../../schema/graph/state.js";
import { pageOf } from "../body/page.js";
import { bodyList, path, query } from "./argument.js";
import { address, hash } from "./argument-types.js";
import type { Route } from "./route.js";
import { stateGetRoute, statePathRoute, statePostRoute, stateSearchRoute } from "./state.js";

const HashLockPage = pageOf("HashLockPage", HashLockInfoDTO);
const SecretLockPage = pageOf("SecretLockPage", SecretLockInfoDTO);
const hashLocks = {
  type: hash,
  result: HashLockInfoDTO,
  operation: "query ($keys: [Hash256!]!) { found: hashLocksByHashes(hashes: $keys) { document } }",
};
const secretLocks = {
  type: hash,
  result: SecretLockInfoDTO,
  operation: "query ($keys: [Hash256!]!) { found: secretLocksByHashes(compositeHashes: $keys) { document } }",
};

const ofHash = { tag: "Hash locks", summary: "Hash locks in the order in which the index first saw them." };
const ofSecret = { tag: "Secret locks", summary: "Secret locks that match all given conditions." };
const owner = "Address of the account that locked the amount.";
const hashDescription = "Hash of the aggregate.";
const compositeHashDescription = "Hash of secret and recipient.";
const secret = query(hash, "The secret; shorter ones are padded with zeros.");

export const lockRoutes: readonly Route[] = [
  stateSearchRoute(
    { ...ofHash, path: "/lock/hash", operationId: "searchHashLock" },
    {
      arguments: { address: query(address, owner) },
      result: HashLockPage,
      types: { address: "Address" },
      field: "hashLocks",
    },
  ),
  stateSearchRoute(
    { ...ofHash, path: "/account/{address}/lock/hash", operationId: "searchAccountHashLocks" },
    {
      arguments: { address: path(address, owner) },
      result: HashLockPage,
      types: { address: "Address" },
      field: "hashLocks",
    },
  ),
  stateGetRoute(
    { tag: ofHash.tag, summary: "A hash lock.", path: "/lock/hash/{hash}", operationId: "getHashLock" },
    hashLocks,
    "hash",
    hashDescription,
  ),
  statePostRoute(
    { tag: ofHash.tag, summary: "Hash locks by hashes.", path: "/lock/hash", operationId: "getHashLocks" },
    hashLocks,
    "hashes",
    bodyList(hash, "Hashes of aggregates.", MAX_KEYS),
  ),
  statePathRoute(
    { tag: ofHash.tag, path: "/lock/hash/{hash}/merkle", operationId: "getHashLockMerkle" },
    { arguments: { hash: path(hash, hashDescription) }, kind: "hashLock", key: (values) => values.hash },
  ),
  stateSearchRoute(
    { ...ofSecret, path: "/lock/secret", operationId: "searchSecretLock" },
    {
      arguments: { address: query(address, owner), secret },
      result: SecretLockPage,
      types: { address: "Address", secret: "Hash256" },
      field: "secretLocks",
    },
  ),
  stateSearchRoute(
    { ...ofSecret, path: "/account/{address}/lock/secret", operationId: "searchAccountSecretLocks" },
    {
      arguments: { address: path(address, owner), secret },
      result: SecretLockPage,
      types: { address: "Address", secret: "Hash256" },
      field: "secretLocks",
    },
  ),
  stateGetRoute(
    {
      tag: ofSecret.tag,
      summary: "A secret lock.",
      path: "/lock/secret/{compositeHash}",
      operationId: "getSecretLock",
    },
    secretLocks,
    "compositeHash",
    compositeHashDescription,
  ),
  statePostRoute(
    {
      tag: ofSecret.tag,
      summary: "Secret locks by composite hashes.",
      path: "/lock/secret",
      operationId: "getSecretLocks",
    },
    secretLocks,
    "compositeHashes",
    bodyList(hash, "Hashes of secret and recipient.", MAX_KEYS),
  ),
  statePathRoute(
    { tag: ofSecret.tag, path: "/lock/secret/{compositeHash}/merkle", operationId: "getSecretLockMerkle" },
    {
      arguments: { compositeHash: path(hash, compositeHashDescription) },
      kind: "secretLock",
      key: (values) => values.compositeHash,
    },
  ),
];
