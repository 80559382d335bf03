import { accountsByBalance, LISTS } from "./list-forms.js";
import type { Names } from "./names.js";
import type { OperationId } from "./operations.js";
import type { SeededRandom } from "./random.js";
import type { CompareRequest, ListForm } from "./request.js";

/** State is that of the head: any block may change it. */
const moving = { moves: true } as const;
/** Maximum keys per request; some operations accept no more. */
const MOST_KEYS = 100;
/** How many pages of state are requested to find names that the first pages lack. */
const DEEPEST_PAGE = 20;

interface StateList {
  readonly operationId: OperationId;
  readonly path: string;
  readonly list: ListForm;
}

const STATE_LISTS: readonly StateList[] = [
  { operationId: "searchAccounts", path: "/accounts", list: LISTS.accounts },
  { operationId: "searchMosaics", path: "/mosaics", list: LISTS.mosaics },
  { operationId: "searchNamespaces", path: "/namespaces", list: LISTS.namespaces },
  { operationId: "searchMetadataEntries", path: "/metadata", list: LISTS.metadata },
  { operationId: "searchHashLock", path: "/lock/hash", list: LISTS.hashLocks },
  { operationId: "searchSecretLock", path: "/lock/secret", list: LISTS.secretLocks },
  { operationId: "searchAccountRestrictions", path: "/restrictions/account", list: LISTS.accountRestrictions },
  { operationId: "searchMosaicRestrictions", path: "/restrictions/mosaic", list: LISTS.mosaicRestrictions },
];

/** Pages of every list of state. Gateways order these freely, so little can be compared, but they name entries. */
export function* stateLists(random: SeededRandom): Generator<CompareRequest> {
  for (const { operationId, path, list } of STATE_LISTS) {
    const pages = ["order=asc", "order=desc", `order=asc&pageNumber=${2 + random.below(DEEPEST_PAGE)}`];
    for (const page of pages) yield { operationId, path: `${path}?pageSize=100&${page}`, list, ...moving };
  }
  for (const kind of [0, 1, 2]) {
    const path = `/metadata?metadataType=${kind}&pageSize=100`;
    yield { operationId: "searchMetadataEntries", path, list: LISTS.metadata, ...moving };
    const namespaces = `/namespaces?aliasType=${kind}&pageSize=100`;
    yield { operationId: "searchNamespaces", path: namespaces, list: LISTS.namespaces, ...moving };
  }
  for (const kind of [0, 1]) {
    const path = `/restrictions/mosaic?entryType=${kind}&pageSize=100`;
    yield { operationId: "searchMosaicRestrictions", path, list: LISTS.mosaicRestrictions, ...moving };
    const namespaces = `/namespaces?registrationType=${kind}&pageSize=100`;
    yield { operationId: "searchNamespaces", path: namespaces, list: LISTS.namespaces, ...moving };
  }
}

/** All requests about the names in earlier responses, one by one and several together. */
export function* stateLookUps(names: Names, highest: number): Generator<CompareRequest> {
  for (const address of names.of("addresses")) yield* aboutAddress(address, highest);
  for (const publicKey of names.of("publicKeys")) yield* aboutPublicKey(publicKey, highest);
  for (const id of names.of("mosaicIds")) yield* aboutMosaic(id, highest);
  for (const id of names.of("namespaceIds")) yield* aboutNamespace(id);
  for (const hash of names.of("metadataHashes")) {
    yield* one("getMetadata", "getMetadataMerkle", `/metadata/${hash}`);
  }
  for (const id of names.of("metalIds")) {
    yield { operationId: "getMetadataMetal", path: `/metadata/metal/${id}`, ...moving };
  }
  for (const hash of names.of("hashLocks")) yield* one("getHashLock", "getHashLockMerkle", `/lock/hash/${hash}`);
  for (const hash of names.of("secretLocks"))
    yield* one("getSecretLock", "getSecretLockMerkle", `/lock/secret/${hash}`);
  for (const hash of names.of("mosaicRestrictions")) {
    yield* one("getMosaicRestrictions", "getMosaicRestrictionsMerkle", `/restrictions/mosaic/${hash}`);
  }
  yield* together(names);
}

function* one(get: OperationId, merkle: OperationId, path: string): Generator<CompareRequest> {
  yield { operationId: get, path, ...moving };
  yield { operationId: merkle, path: `${path}/merkle`, ...moving };
}

function* aboutAddress(address: string, highest: number): Generator<CompareRequest> {
  yield* one("getAccountInfo", "getAccountInfoMerkle", `/accounts/${address}`);
  yield* one("getAccountMultisig", "getAccountMultisigMerkle", `/account/${address}/multisig`);
  yield { operationId: "getAccountMultisigGraph", path: `/account/${address}/multisig/graph`, ...moving };
  yield* one("getAccountRestrictions", "getAccountRestrictionsMerkle", `/restrictions/account/${address}`);
  const state: readonly (readonly [OperationId, string, ListForm])[] = [
    ["searchAccountHashLocks", `/account/${address}/lock/hash?`, LISTS.hashLocks],
    ["searchAccountSecretLocks", `/account/${address}/lock/secret?`, LISTS.secretLocks],
    ["searchHashLock", `/lock/hash?address=${address}&`, LISTS.hashLocks],
    ["searchSecretLock", `/lock/secret?address=${address}&`, LISTS.secretLocks],
    ["searchMosaics", `/mosaics?ownerAddress=${address}&`, LISTS.mosaics],
    ["searchNamespaces", `/namespaces?ownerAddress=${address}&`, LISTS.namespaces],
    ["searchMetadataEntries", `/metadata?targetAddress=${address}&`, LISTS.metadata],
    ["searchMetadataEntries", `/metadata?sourceAddress=${address}&`, LISTS.metadata],
    ["searchAccountRestrictions", `/restrictions/account?address=${address}&`, LISTS.accountRestrictions],
    ["searchMosaicRestrictions", `/restrictions/mosaic?targetAddress=${address}&`, LISTS.mosaicRestrictions],
    ["searchAccounts", `/accounts?address=${address}&`, LISTS.accounts],
  ];
  for (const [operationId, path, list] of state) yield { operationId, path: `${path}pageSize=100`, list, ...moving };
  const page = `toHeight=${highest}&pageSize=25`;
  const transactions = { operationId: "searchConfirmedTransactions", list: LISTS.transactions } as const;
  for (const filter of ["address", "recipientAddress"]) {
    for (const order of ["asc", "desc&embedded=true"]) {
      yield { ...transactions, path: `/transactions/confirmed?${filter}=${address}&${page}&order=${order}` };
    }
  }
  for (const filter of ["recipientAddress", "senderAddress", "targetAddress"]) {
    const path = `/statements/transaction?${filter}=${address}&${page}&order=desc`;
    yield { operationId: "searchTransactionStatements", path, list: LISTS.transactionStatements };
  }
}

function* aboutPublicKey(publicKey: string, highest: number): Generator<CompareRequest> {
  yield { operationId: "getAccountInfo", path: `/accounts/${publicKey}`, ...moving };
  const path = `/transactions/confirmed?signerPublicKey=${publicKey}&toHeight=${highest}&pageSize=25&order=desc`;
  yield { operationId: "searchConfirmedTransactions", path, list: LISTS.transactions };
  const blocks = `/blocks?signerPublicKey=${publicKey}&order=asc&pageSize=10`;
  yield { operationId: "searchBlocks", path: blocks, list: LISTS.blocks, ...moving };
}

function* aboutMosaic(id: string, highest: number): Generator<CompareRequest> {
  yield* one("getMosaic", "getMosaicMerkle", `/mosaics/${id}`);
  const byBalance = `/accounts?mosaicId=${id}&orderBy=balance&order=desc&pageSize=100`;
  yield { operationId: "searchAccounts", path: byBalance, list: accountsByBalance(id), ...moving };
  yield {
    operationId: "searchConfirmedTransactions",
    path: `/transactions/confirmed?transferMosaicId=${id}&toHeight=${highest}&order=desc&pageSize=100`,
    list: LISTS.transactions,
    shows: "findsWrittenMosaicsOnly",
  };
  const state: readonly (readonly [OperationId, string, ListForm])[] = [
    ["searchMetadataEntries", `/metadata?targetId=${id}`, LISTS.metadata],
    ["searchMosaicRestrictions", `/restrictions/mosaic?mosaicId=${id}`, LISTS.mosaicRestrictions],
  ];
  for (const [operationId, path, list] of state) yield { operationId, path: `${path}&pageSize=100`, list, ...moving };
  const path = `/statements/transaction?artifactId=${id}&toHeight=${highest}&order=desc&pageSize=25`;
  yield { operationId: "searchTransactionStatements", path, list: LISTS.transactionStatements };
}

function* aboutNamespace(id: string): Generator<CompareRequest> {
  yield* one("getNamespace", "getNamespaceMerkle", `/namespaces/${id}`);
  const path = `/namespaces?level0=${id}&pageSize=100`;
  yield { operationId: "searchNamespaces", path, list: LISTS.namespaces, ...moving };
}

function* together(names: Names): Generator<CompareRequest> {
  const addresses = names.of("addresses");
  const mosaicIds = names.of("mosaicIds");
  const compositeHashes = { metadata: names.of("metadataHashes"), locks: names.of("secretLocks") };
  const batches: readonly (readonly [OperationId, string, string, readonly string[], ListForm | undefined])[] = [
    ["getAccountsInfo", "/accounts", "addresses", addresses, LISTS.accounts],
    ["getAccountsInfo", "/accounts", "publicKeys", names.of("publicKeys"), LISTS.accounts],
    ["getMosaics", "/mosaics", "mosaicIds", mosaicIds, LISTS.mosaics],
    ["getMetadataEntries", "/metadata", "compositeHashes", compositeHashes.metadata, LISTS.metadata],
    ["getHashLocks", "/lock/hash", "hashes", names.of("hashLocks"), LISTS.hashLocks],
    ["getSecretLocks", "/lock/secret", "compositeHashes", compositeHashes.locks, LISTS.secretLocks],
    ["getAccountRestrictionsBatch", "/restrictions/account", "addresses", addresses, LISTS.accountRestrictions],
    [
      "getMosaicRestrictionsBatch",
      "/restrictions/mosaic",
      "compositeHashes",
      names.of("mosaicRestrictions"),
      LISTS.mosaicRestrictions,
    ],
    ["getNamespacesNames", "/namespaces/names", "namespaceIds", names.of("namespaceIds"), LISTS.namespaceNames],
    ["getAccountsNames", "/namespaces/account/names", "addresses", addresses, undefined],
    ["getMosaicsNames", "/namespaces/mosaic/names", "mosaicIds", mosaicIds, undefined],
  ];
  for (const [operationId, path, member, keys, list] of batches) {
    if (keys.length === 0) continue;
    const body = { [member]: keys.slice(0, MOST_KEYS) };
    yield { operationId, path, body, ...(list && { list }), ...moving };
  }
}
