import type { ObjectRef } from "@pothos/core";
import { addressOfPublicKey, isAliasAddress, isAliasMosaic } from "../../catapult/entity/address.js";
import type { BlockAliases } from "../../catapult/entity/block-aliases.js";
import { hex } from "../../catapult/entity/hex.js";
import type { ReceiptSource } from "../../catapult/entity/model.js";
import { decodeEntityId } from "../../catapult/json/entity-id.js";
import { idText } from "../../catapult/json/format.js";
import type { BalanceMovement } from "../../catapult/state/balance-movements.js";
import { balancesAt, type PastHolding } from "../../database/balances/balance-changes.js";
import { readBlockMovements, readMovements } from "../../database/balances/balance-movements.js";
import { groupedByHeight, NO_ALIASES, readBlockAliases } from "../../database/balances/block-aliases.js";
import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import type { Db } from "../../database/database.js";
import type { Entry } from "../../database/lists/page.js";
import { findWholePending } from "../../database/mempool/pending-transactions.js";
import { findTransactionStatuses, type TransactionStatus } from "../../database/mempool/transaction-statuses.js";
import { findAccounts } from "../../database/queries/accounts.js";
import { findBlocks, readHarvesters } from "../../database/queries/blocks.js";
import { type IndexPoint, readIndexPoint } from "../../database/queries/head.js";
import { readDivisibilities } from "../../database/queries/mosaics.js";
import { findMultisigs, type MultisigEntry } from "../../database/queries/multisigs.js";
import { findAccountNames, findMosaicNames, findNamespaceNames } from "../../database/queries/namespace-names.js";
import { readNetworkIdentifier } from "../../database/queries/network.js";
import { accountRestrictions, mosaics, namespaces } from "../../database/queries/state-lists.js";
import { findStatementsOfSources } from "../../database/queries/statements.js";
import { findEmbedded, findTransactionsByHashes, findTransactionsByIds } from "../../database/queries/transactions.js";
import { accountOf, accountRestrictionsOf, blockOf, metaOf, mosaicOf, readLevels } from "./body.js";
import type { SchemaTypes } from "./builder.js";
import { type Context, onceFor } from "./context.js";
import { parseId } from "./formats.js";
import { type Loader, makeFinder, makeLoader } from "./loader.js";
import type { Builder } from "./members.js";
import { stateDb } from "./state.js";
import { Account, Block, Mosaic, Namespace, Transaction } from "./types.js";

/**
 * Loaders from one entity to another: everything that the resolvers of one operation request at the same time is read
 * by one query. Keys are addresses (24 bytes), ids and heights; missing entries are undefined.
 */
export class Loaders {
  readonly account: Loader<Buffer, Entry | undefined>;
  readonly accountNames: Loader<Buffer, readonly string[]>;
  readonly multisig: Loader<Buffer, MultisigEntry | undefined>;
  readonly mosaic: Loader<bigint, Entry | undefined>;
  readonly mosaicNames: Loader<bigint, readonly string[]>;
  readonly divisibility: Loader<bigint, number | undefined>;
  readonly namespace: Loader<bigint, Entry | undefined>;
  /** The last part of a namespace's name; undefined for a namespace that was never registered. */
  readonly namespaceName: Loader<bigint, string | undefined>;
  readonly block: Loader<number, Entry | undefined>;
  /** Address of the main account that harvested the block at a height. */
  readonly harvester: Loader<number, Buffer | undefined>;
  /** The transaction by id. */
  readonly transaction: Loader<Buffer, TransactionEntry | undefined>;
  readonly transactionByHash: Loader<Buffer, TransactionEntry | undefined>;
  /** The embedded transactions of an aggregate by its id, in order; none for other transactions. */
  readonly embedded: Loader<Buffer, readonly TransactionEntry[]>;
  /** Pending transactions with all their bytes, by id. */
  readonly wholePending: Loader<Buffer, TransactionEntry | undefined>;
  /** The status by hash. */
  readonly status: Loader<Buffer, TransactionStatus | undefined>;
  /** Transaction statements by the id of a top-level transaction, including those of its embedded ones. */
  readonly statements: Loader<Buffer, readonly Entry[]>;
  readonly accountRestrictions: Loader<Buffer, Entry | undefined>;
  /** Movements of balances by a top-level transaction, by its id. */
  readonly movements: Loader<Buffer, readonly BalanceMovement[]>;
  /** Movements that no transaction of the block at a height causes. */
  readonly blockMovements: Loader<number, readonly BalanceMovement[]>;
  /** Balances of accounts at indexed heights. */
  readonly balanceAt: Loader<PastHolding, bigint>;
  readonly #aliases: Loader<WrittenAlias, BlockAliases>;
  readonly #indexPoints: Loader<"now", IndexPoint>;
  readonly #context: Context;
  #networkIdentifier: Promise<number | undefined> | undefined;

  constructor(context: Context) {
    this.#context = context;
    const { db } = context;
    const ofState = () => stateDb(context);
    this.account = makeFinder(
      hex,
      (entry: Entry) => accountOf(entry).address,
      async (keys) => findAccounts(await ofState(), keys),
    );
    this.multisig = makeFinder(
      hex,
      ({ state }: MultisigEntry) => hex(state.accountAddress),
      async (keys) => findMultisigs(await ofState(), keys),
    );
    this.mosaic = makeFinder(
      idText,
      (entry: Entry) => mosaicOf(entry).id,
      async (keys) => mosaics.find(await ofState(), keys),
    );
    this.divisibility = makeLoader(async (keys) => readDivisibilities(await ofState(), keys));
    this.namespace = makeFinder(idText, idOfNamespace, async (keys) => namespaces.find(await ofState(), keys));
    this.namespaceName = makeLoader(async (ids: readonly bigint[]) => {
      const names = new Map((await findNamespaceNames(db, ids)).map(({ id, name }) => [id, name]));
      return ids.map((id) => names.get(id));
    });
    this.block = makeFinder(
      String,
      (entry: Entry) => blockOf(entry).height,
      (keys) => findBlocks(db, keys),
    );
    this.harvester = makeLoader((heights: readonly number[]) => readHarvesters(db, heights));
    this.transaction = makeFinder<Buffer, TransactionEntry>(
      hex,
      ({ id }: Entry) => hex(id),
      (keys) => findTransactionsByIds(db, keys),
    );
    this.transactionByHash = makeFinder<Buffer, TransactionEntry>(
      hex,
      (entry) => metaOf(entry).hash!,
      (keys) => findTransactionsByHashes(db, keys),
    );
    this.embedded = makeLoader<Buffer, readonly TransactionEntry[]>(async (ids) => {
      const found = await findEmbedded(db, ids);
      return ids.map((id) => found.get(hex(id)) ?? []);
    }, hex);
    this.wholePending = makeFinder<Buffer, TransactionEntry>(
      hex,
      ({ id }: Entry) => hex(id),
      (keys) => findWholePending(db, keys),
    );
    this.status = makeFinder(
      hex,
      ({ hash }: TransactionStatus) => hex(hash),
      (keys) => findTransactionStatuses(db, keys),
    );
    this.accountRestrictions = makeFinder(
      hex,
      (entry: Entry) => accountRestrictionsOf(entry).address,
      async (keys) => accountRestrictions.find(await ofState(), keys),
    );
    this.#indexPoints = makeLoader(async () => [await readIndexPoint(db)]);
    this.movements = makeLoader<Buffer, readonly BalanceMovement[]>((ids) => readMovements(db, ids), hex);
    this.blockMovements = makeLoader<number, readonly BalanceMovement[]>((heights) => readBlockMovements(db, heights));
    this.balanceAt = makeLoader((holdings) => balancesAt(db, holdings));
    this.accountNames = makeLoader<Buffer, readonly string[]>(async (keys) => {
      const names = await findAccountNames(await ofState(), keys);
      return keys.map((key) => names.get(hex(key)) ?? []);
    }, hex);
    this.mosaicNames = makeLoader<bigint, readonly string[]>(async (keys) => {
      const names = await findMosaicNames(await ofState(), keys);
      return keys.map((key) => names.get(idText(key)) ?? []);
    });
    this.statements = makeLoader<Buffer, readonly Entry[]>((ids) => readStatements(db, ids), hex);
    this.#aliases = makeLoader((aliases: readonly WrittenAlias[]) => readAliases(db, aliases));
  }

  /** The current state of the index. */
  indexPoint(): Promise<IndexPoint> {
    return this.#indexPoints.load("now");
  }

  /** The account of a public key (32 bytes or 64 hex digits). */
  async accountOfKey(publicKey: Buffer | string): Promise<Entry | undefined> {
    const address = await this.addressOfKey(publicKey);
    return address && this.account.load(address);
  }

  /** The address of a public key (32 bytes or 64 hex digits) in the indexed network; undefined if there is none yet. */
  async addressOfKey(publicKey: Buffer | string): Promise<Buffer | undefined> {
    this.#networkIdentifier ??= readNetworkIdentifier(this.#context.db);
    const network = await this.#networkIdentifier;
    if (network === undefined) return undefined;
    const key = typeof publicKey === "string" ? Buffer.from(publicKey, "hex") : publicKey;
    return addressOfPublicKey(key, network);
  }

  /** Resolves an address in transaction `id`, which is undefined for a pending one. */
  async resolveAddress(address: Buffer, id: Buffer | undefined): Promise<Buffer | undefined> {
    if (!isAliasAddress(address)) return address;
    if (!id) return undefined;
    const { height } = decodeEntityId(id);
    return (await this.#aliases.load({ height, address })).address(address, sourceOf(id));
  }

  /** The same for a mosaic: an id with its highest bit set is a namespace's. */
  async resolveMosaic(written: bigint, id: Buffer | undefined): Promise<bigint | undefined> {
    if (!isAliasMosaic(written)) return written;
    if (!id) return undefined;
    const { height } = decodeEntityId(id);
    return (await this.#aliases.load({ height, mosaic: written })).mosaic(written, sourceOf(id));
  }
}

/** An alias in a transaction of the block at a height: in place of an address, or of a mosaic. */
type WrittenAlias = { readonly height: number } & (
  | { readonly address: Buffer; readonly mosaic?: undefined }
  | { readonly address?: undefined; readonly mosaic: bigint }
);

async function readStatements(db: Db, ids: readonly Buffer[]): Promise<(readonly Entry[])[]> {
  const sources = ids.map(decodeEntityId).map(({ height, index }) => ({ height, primaryId: index + 1 }));
  const found = await findStatementsOfSources(db, sources);
  return ids.map((_id, ordinal) => found.filter((one) => one.ordinal === ordinal).map(({ entry }) => entry));
}

async function readAliases(db: Db, aliases: readonly WrittenAlias[]): Promise<BlockAliases[]> {
  const named = groupedByHeight(aliases.map((alias) => [alias.height, alias]));
  const found = await readBlockAliases(
    db,
    new Map(
      [...named].map(([height, all]) => [
        height,
        { addresses: valuesOf(all, "address"), mosaics: valuesOf(all, "mosaic") },
      ]),
    ),
  );
  return aliases.map(({ height }) => found.get(height) ?? NO_ALIASES);
}

function valuesOf<Name extends "address" | "mosaic">(aliases: readonly WrittenAlias[], name: Name) {
  return aliases.flatMap((alias) => (alias[name] === undefined ? [] : [alias[name]]));
}

/** The position of a transaction in its block. */
function sourceOf(id: Buffer): ReceiptSource {
  const { index, embeddedIndex } = decodeEntityId(id);
  return { primaryId: index + 1, secondaryId: embeddedIndex };
}

/** The loaders of an operation. */
export const loadersOf = onceFor((context) => new Loaders(context));

const idOfNamespace = (entry: Entry) => readLevels(entry).at(-1)!;

/** Where a field leads: its type, and how the entry of a key is loaded. */
interface Target<Key, Item> {
  readonly type: ObjectRef<SchemaTypes, Item>;
  readonly load: (loaders: Loaders, key: Key) => Promise<Item | undefined>;
}

/** Creates fields that lead to an entry by a key in their source; null without a key, and without an entry. */
function fieldTo<Key, Item>({ type, load }: Target<Key, Item>) {
  return <Source>(t: Builder<Source>, description: string, keyOf: (source: Source) => Key | null | undefined) =>
    t.field({
      // Pothos cannot infer that a type parameter is not a list.
      type: type as ObjectRef<SchemaTypes, Entry>,
      nullable: true,
      description,
      resolve: (source: unknown, _args: object, context: Context) => {
        const key = keyOf(source as Source);
        return key == null ? null : (load(loadersOf(context), key) as Promise<Entry | undefined>);
      },
    });
}

const bytesOf = (key: Buffer | string) => (typeof key === "string" ? Buffer.from(key, "hex") : key);
const idOf = (key: bigint | string) => (typeof key === "string" ? (parseId(key) ?? 0n) : key);

/** An account by its address (24 bytes, or as in bodies). */
export const accountField = fieldTo<Buffer | string, Entry>({
  type: Account,
  load: ({ account }, address) => account.load(bytesOf(address)),
});
/** An account by its public key. */
export const keyAccountField = fieldTo<Buffer | string, Entry>({
  type: Account,
  load: (loaders, publicKey) => loaders.accountOfKey(publicKey),
});
/** A mosaic by its own id (a number, or as in bodies). */
export const mosaicField = fieldTo<bigint | string, Entry>({
  type: Mosaic,
  load: ({ mosaic }, id) => mosaic.load(idOf(id)),
});
export const namespaceField = fieldTo<bigint | string, Entry>({
  type: Namespace,
  load: ({ namespace }, id) => namespace.load(idOf(id)),
});
/** A block by its height. */
export const blockField = fieldTo<number, Entry>({ type: Block, load: ({ block }, height) => block.load(height) });
/** A transaction by its id. */
export const transactionField = fieldTo<Buffer, TransactionEntry>({
  type: Transaction,
  load: ({ transaction }, id) => transaction.load(id),
});
export const hashTransactionField = fieldTo<Buffer | string, TransactionEntry>({
  type: Transaction,
  load: ({ transactionByHash }, hash) => transactionByHash.load(bytesOf(hash)),
});
