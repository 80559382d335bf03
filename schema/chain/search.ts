import { encodeAddress, readBase32 } from "../../catapult/entity/address.js";
import { namespaceIdOfName } from "../../catapult/entity/generated-id.js";
import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import { findPendingTransactionsByHashes } from "../../database/mempool/pending-transactions.js";
import { findAddressesByPrefix } from "../../database/queries/accounts.js";
import { findBlockHeight, findBlockHeightsByPrefix } from "../../database/queries/blocks.js";
import { findTransactionHashesByPrefix } from "../../database/queries/transactions.js";
import { accountOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { parseAddress, parseHex, parseId, typed } from "../graph/formats.js";
import { loadersOf } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { addressIn, stateDb } from "../graph/state.js";

type HitKind = "block" | "transaction" | "account" | "mosaic" | "namespace";

interface SearchHit {
  readonly kind: HitKind;
  readonly key: string;
}

const HASH_SIZE = 32;
const ADDRESS_LENGTH = 39;
/** As pages shorten hashes and addresses; fewer characters would name too many. */
const HASH_PREFIX = /^[0-9A-F]{8,63}$/;
const ADDRESS_PREFIX = /^[A-Z2-7]{8,38}$/;
/** Hits of each kind by prefix. */
const PREFIX_HITS = 5;
const PENDING_GROUPS = ["unconfirmed", "partial"] as const;

const SearchHitKind = builder.enumType("SearchHitKind", {
  description: "What a search has found.",
  values: {
    block: { value: "block", description: "A block of the chain." },
    transaction: { value: "transaction", description: "A confirmed, unconfirmed or partial transaction." },
    account: { value: "account", description: "An account." },
    mosaic: { value: "mosaic", description: "A mosaic." },
    namespace: { value: "namespace", description: "A namespace." },
  } as const,
});

const SearchHitType = builder.objectRef<SearchHit>("SearchHit").implement({
  description: "Something that a search has found.",
  fields: (t) =>
    members(t, {
      kind: [SearchHitKind, "What it is."],
      key: ["String", "Height of a block, hash of a transaction, address of an account, id of a mosaic or namespace."],
    }),
});

/** Everything that `text` names, in the index and among pending transactions. */
async function search(text: string, context: Context): Promise<SearchHit[]> {
  const { block, account, mosaic } = loadersOf(context);
  const height = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  const hash = parseHex(text, HASH_SIZE);
  const address = parseAddress(text.toUpperCase().replaceAll("-", ""));
  const id = parseId(text);
  const namespaceId = id ?? namespaceIdOfName(text.toLowerCase());
  const hits = await Promise.all([
    height !== undefined && hit("block", String(height), block.load(height)),
    hash && blockOfHash(hash, context),
    hash && hit("transaction", hex(hash), isTransaction(hash, context)),
    hash && accountOfKey(hash, context),
    address && hit("account", encodeAddress(address), account.load(address)),
    id !== undefined && hit("mosaic", idText(id), mosaic.load(id)),
    namespaceId !== undefined && hit("namespace", idText(namespaceId), isNamespace(namespaceId, context)),
  ]);
  const exact = hits.filter((found) => found !== undefined && found !== false);
  return exact.length > 0 ? exact : searchPrefix(text.toUpperCase(), context);
}

/** Blocks, transactions and accounts whose hash or address begins with the text. */
async function searchPrefix(text: string, context: Context): Promise<SearchHit[]> {
  const found: SearchHit[] = [];
  if (HASH_PREFIX.test(text)) {
    const bytesOf = (digit: string) => Buffer.from(text.padEnd(2 * HASH_SIZE, digit), "hex");
    const range = { first: bytesOf("0"), last: bytesOf("F") };
    const heights = await findBlockHeightsByPrefix(context.db, range, PREFIX_HITS);
    const hashes = await findTransactionHashesByPrefix(context.db, range, PREFIX_HITS);
    found.push(...heights.map((height) => ({ kind: "block", key: String(height) }) as const));
    found.push(...hashes.map((one) => ({ kind: "transaction", key: hex(one) }) as const));
  }
  if (ADDRESS_PREFIX.test(text)) {
    const bytesOf = (digit: string) => readBase32(text.padEnd(ADDRESS_LENGTH, digit)).address;
    const range = { first: bytesOf("A"), last: bytesOf("7") };
    const addresses = await findAddressesByPrefix(await stateDb(context), range, PREFIX_HITS);
    found.push(...addresses.map((address) => ({ kind: "account", key: encodeAddress(address) }) as const));
  }
  return found;
}

async function hit(kind: HitKind, key: string, found: Promise<unknown>): Promise<SearchHit | undefined> {
  return (await found) ? { kind, key } : undefined;
}

async function blockOfHash(hash: Buffer, { db }: Context): Promise<SearchHit | undefined> {
  const height = await findBlockHeight(db, hash);
  return height === undefined ? undefined : { kind: "block", key: String(height) };
}

async function accountOfKey(publicKey: Buffer, context: Context): Promise<SearchHit | undefined> {
  const entry = await loadersOf(context).accountOfKey(publicKey);
  return entry && { kind: "account", key: encodeAddress(addressIn(accountOf(entry).address)) };
}

/** Whether a namespace with the id exists, or ended. */
async function isNamespace(id: bigint, context: Context): Promise<boolean> {
  return Boolean((await loadersOf(context).namespace.load(id)) ?? (await loadersOf(context).namespaceName.load(id)));
}

/** Whether a transaction with the hash is confirmed or pending. */
async function isTransaction(hash: Buffer, context: Context): Promise<boolean> {
  if (await loadersOf(context).transactionByHash.load(hash)) return true;
  const pending = PENDING_GROUPS.map((group) => findPendingTransactionsByHashes(context.db, group, [hash]));
  return (await Promise.all(pending)).flat().length > 0;
}

builder.queryField("search", (t) =>
  t.field({
    type: [SearchHitType],
    description:
      "Everything with this name: a height, a hash, an address in base32 or hex, a public key, the id of a mosaic " +
      "or namespace, or the full name of a namespace, which may have ended. Otherwise, of at least 8 characters that an address or one of the newest " +
      "100,000 hashes of blocks or transactions begins with, the first 5 of each.",
    args: { text: t.arg.string({ description: "What to look up.", required: true }) },
    resolve: (_root, { text }, context) => search(typed(text), context),
  }),
);
