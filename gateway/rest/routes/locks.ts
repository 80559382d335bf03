import { HASH_LOCK_BODY, SECRET_LOCK_BODY } from "../../../catapult/state/lock.js";
import { path, query } from "../route/argument.js";
import { address, hash } from "../route/argument-types.js";
import { listRoute, pageOf } from "../route/page.js";
import type { Route } from "../route/route.js";
import { stateRoutes } from "../route/state.js";

const HashLockPage = pageOf("HashLockPage", HASH_LOCK_BODY.schema);
const SecretLockPage = pageOf("SecretLockPage", SECRET_LOCK_BODY.schema);
const ofHash = { tag: "Hash locks", summary: "Hash locks in the order in which the index first saw them." };
const ofSecret = { tag: "Secret locks", summary: "Secret locks that match all given conditions." };
const owner = "Address of the account that locked the amount.";
const secret = query(hash, "The secret; shorter ones are padded with zeros.");

const [hashLocks, ...ofHashLocks] = stateRoutes({
  tag: ofHash.tag,
  path: "/lock/hash",
  kind: "hashLock",
  result: HASH_LOCK_BODY.schema,
  page: HashLockPage,
  field: "hashLocks",
  search: ["searchHashLock", ofHash.summary],
  arguments: { address: query(address, owner) },
  type: hash,
  key: ["hash", "Hash of the aggregate."],
  keys: ["hashes", "Hashes of aggregates."],
  found: "hashLocksByHashes(hashes: $keys)",
  get: ["getHashLock", "A hash lock."],
  post: ["getHashLocks", "Hash locks by hashes."],
  merkle: "getHashLockMerkle",
});

const [secretLocks, ...ofSecretLocks] = stateRoutes({
  tag: ofSecret.tag,
  path: "/lock/secret",
  kind: "secretLock",
  result: SECRET_LOCK_BODY.schema,
  page: SecretLockPage,
  field: "secretLocks",
  search: ["searchSecretLock", ofSecret.summary],
  arguments: { address: query(address, owner), secret },
  type: hash,
  key: ["compositeHash", "Hash of secret and recipient."],
  keys: ["compositeHashes", "Hashes of secret and recipient."],
  found: "secretLocksByHashes(compositeHashes: $keys)",
  get: ["getSecretLock", "A secret lock."],
  post: ["getSecretLocks", "Secret locks by composite hashes."],
  merkle: "getSecretLockMerkle",
});

export const lockRoutes: readonly Route[] = [
  hashLocks,
  listRoute(
    { ...ofHash, path: "/account/{address}/lock/hash", operationId: "searchAccountHashLocks" },
    { arguments: { address: path(address, owner) }, result: HashLockPage, field: "hashLocks" },
  ),
  ...ofHashLocks,
  secretLocks,
  listRoute(
    { ...ofSecret, path: "/account/{address}/lock/secret", operationId: "searchAccountSecretLocks" },
    {
      arguments: { address: path(address, owner), secret },
      result: SecretLockPage,
      field: "secretLocks",
    },
  ),
  ...ofSecretLocks,
];
