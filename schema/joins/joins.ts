import type { AccountBody } from "../../catapult/body/account.js";
import type { AccountRestrictionsBody } from "../../catapult/body/account-restriction.js";
import type { MosaicBody } from "../../catapult/body/mosaic.js";
import type { NamespaceBody } from "../../catapult/body/namespace.js";
import { addressOfPublicKey, isAliasAddress, isAliasMosaic } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { entryAt } from "../../catapult/entity/statement.js";
import { decodeEntityId } from "../../catapult/json/entity-id.js";
import type { BlockBody } from "../../catapult/nouns/block.js";
import type { ResolutionStatementBody } from "../../catapult/nouns/statement.js";
import type { TransactionBody } from "../../catapult/nouns/transaction.js";
import type { BalanceMovement } from "../../catapult/state/balance-movements.js";
import { balancesAt, type PastHolding } from "../../database/balances/balance-changes.js";
import { readBlockMovements, readMovements } from "../../database/balances/balance-movements.js";
import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import { idKey } from "../../database/lists/collections.js";
import type { Entry } from "../../database/lists/page.js";
import { findTransactionStatuses, type TransactionStatus } from "../../database/mempool/transaction-statuses.js";
import { findAccounts } from "../../database/queries/accounts.js";
import { findBlocks } from "../../database/queries/blocks.js";
import { type IndexPoint, readIndexPoint } from "../../database/queries/head.js";
import { readDivisibilities } from "../../database/queries/mosaics.js";
import { findMultisigs, type MultisigEntry } from "../../database/queries/multisigs.js";
import { findAccountNames, findMosaicNames } from "../../database/queries/namespace-names.js";
import { namespaces } from "../../database/queries/namespaces.js";
import { readNetworkIdentifier } from "../../database/queries/network.js";
import { accountRestrictions, mosaics } from "../../database/queries/state-nouns.js";
import { findResolutions, findStatementsOfPlaces, type WrittenAlias } from "../../database/queries/statements.js";
import { findTransactionsByHashes, findTransactionsByIds } from "../../database/queries/transactions.js";
import { bodyOf } from "../graph/body.js";
import { type Context, onceFor } from "../graph/context.js";
import { formatId, parseId } from "../graph/formats.js";
import { stateDb } from "../graph/state.js";
import { finderOf, type Loader, loaderOf } from "../services/loader.js";

/**
 * Loaders from one noun to another: everything that the resolvers of one operation request at the same time is read
 * by one query. Keys are addresses (24 bytes), ids and heights; missing entries are undefined.
 */
export class Joins {
  readonly account: Loader<Buffer, Entry | undefined>;
  readonly accountNames: Loader<Buffer, readonly string[]>;
  readonly multisig: Loader<Buffer, MultisigEntry | undefined>;
  readonly mosaic: Loader<bigint, Entry | undefined>;
  readonly mosaicNames: Loader<bigint, readonly string[]>;
  readonly divisibility: Loader<bigint, number | undefined>;
  readonly namespace: Loader<bigint, Entry | undefined>;
  readonly block: Loader<number, Entry | undefined>;
  /** By id. */
  readonly transaction: Loader<Buffer, TransactionEntry | undefined>;
  readonly transactionByHash: Loader<Buffer, TransactionEntry | undefined>;
  /** By hash. */
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
  readonly #addressResolutions: Loader<WrittenAlias, Entry | undefined>;
  readonly #mosaicResolutions: Loader<WrittenAlias, Entry | undefined>;
  readonly #indexPoints: Loader<"now", IndexPoint>;
  readonly #context: Context;
  #networkIdentifier: Promise<number | undefined> | undefined;

  constructor(context: Context) {
    this.#context = context;
    const { db } = context;
    const ofState = () => stateDb(context);
    this.account = finderOf(hex, addressOfAccount, async (keys) => findAccounts(await ofState(), keys));
    this.multisig = finderOf(
      hex,
      ({ address }: MultisigEntry) => hex(address),
      async (keys) => findMultisigs(await ofState(), keys),
    );
    this.mosaic = finderOf(formatId, idOfMosaic, async (keys) => mosaics.find(await ofState(), keys));
    this.divisibility = loaderOf(async (keys) => readDivisibilities(await ofState(), keys));
    this.namespace = finderOf(formatId, idOfNamespace, async (keys) => namespaces.find(await ofState(), keys));
    this.block = finderOf(String, heightOf, (keys) => findBlocks(db, keys));
    this.transaction = finderOf<Buffer, TransactionEntry>(
      hex,
      ({ id }: Entry) => hex(id),
      (keys) => findTransactionsByIds(db, keys),
    );
    this.transactionByHash = finderOf<Buffer, TransactionEntry>(hex, hashOf, (keys) =>
      findTransactionsByHashes(db, keys),
    );
    this.status = finderOf(
      hex,
      ({ hash }: TransactionStatus) => hex(hash),
      (keys) => findTransactionStatuses(db, keys),
    );
    this.accountRestrictions = finderOf(hex, addressOfRestrictions, async (keys) =>
      accountRestrictions.find(await ofState(), keys),
    );
    this.#indexPoints = loaderOf(async () => [await readIndexPoint(db)]);
    this.movements = loaderOf<Buffer, readonly BalanceMovement[]>((ids) => readMovements(db, ids), hex);
    this.blockMovements = loaderOf<number, readonly BalanceMovement[]>((heights) => readBlockMovements(db, heights));
    this.balanceAt = loaderOf((holdings) => balancesAt(db, holdings));
    this.accountNames = loaderOf<Buffer, readonly string[]>(async (keys) => {
      const names = await findAccountNames(await ofState(), keys);
      return keys.map((key) => names.get(hex(key)) ?? []);
    }, hex);
    this.mosaicNames = loaderOf<bigint, readonly string[]>(async (keys) => {
      const names = await findMosaicNames(await ofState(), keys);
      return keys.map((key) => names.get(formatId(key)) ?? []);
    });
    this.statements = loaderOf<Buffer, readonly Entry[]>(async (ids) => {
      const places = ids.map(decodeEntityId).map(({ height, index }) => ({ height, primaryId: index + 1 }));
      const found = await findStatementsOfPlaces(db, places);
      return ids.map((_id, place) => found.filter((one) => one.place === place).map(({ entry }) => entry));
    }, hex);
    this.#addressResolutions = loaderOf((aliases) => findResolutions(db, "address", aliases));
    this.#mosaicResolutions = loaderOf((aliases) => findResolutions(db, "mosaic", aliases));
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
    const resolved = resolvedAt(await this.#addressResolutions.load({ height, unresolved: address }), id);
    return resolved === undefined ? undefined : Buffer.from(resolved, "hex");
  }

  /** The same for a mosaic: an id with its highest bit set is a namespace's. */
  async resolveMosaic(written: bigint, id: Buffer | undefined): Promise<bigint | undefined> {
    if (!isAliasMosaic(written)) return written;
    if (!id) return undefined;
    const { height } = decodeEntityId(id);
    const resolved = resolvedAt(await this.#mosaicResolutions.load({ height, unresolved: idKey(written) }), id);
    return resolved === undefined ? undefined : parseId(resolved);
  }
}

/** The resolution at the position of a transaction in its block. */
function resolvedAt(resolution: Entry | undefined, id: Buffer): string | undefined {
  if (!resolution) return undefined;
  const { index, embeddedIndex } = decodeEntityId(id);
  const { resolutionEntries } = bodyOf<ResolutionStatementBody>(resolution).statement;
  return entryAt(resolutionEntries, { primaryId: index + 1, secondaryId: embeddedIndex })?.resolved;
}

/** The joins of an operation. */
export const joinsOf = onceFor((context) => new Joins(context));

export const addressOfAccount = (entry: Entry) => bodyOf<AccountBody>(entry).account.address;
const addressOfRestrictions = (entry: Entry) => bodyOf<AccountRestrictionsBody>(entry).accountRestrictions.address;
const idOfMosaic = (entry: Entry) => bodyOf<MosaicBody>(entry).mosaic.id;
const heightOf = (entry: Entry) => bodyOf<BlockBody>(entry).block.height;
const hashOf = (entry: Entry) => bodyOf<TransactionBody>(entry).meta.hash;

function idOfNamespace(entry: Entry): string {
  const { level0, level1, level2 } = bodyOf<NamespaceBody>(entry).namespace;
  return level2 ?? level1 ?? level0;
}
