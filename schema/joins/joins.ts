import { addressOfPublicKey, isAliasAddress } from "../../catapult/entity/address.js";
import { decodeEntityId } from "../../catapult/json/entity-id.js";
import { idKey } from "../../database/lists/collections.js";
import type { Entry } from "../../database/lists/page.js";
import { findTransactionStatuses, type TransactionStatus } from "../../database/mempool/transaction-statuses.js";
import { findAccountRestrictions } from "../../database/queries/account-restrictions.js";
import { findAccounts } from "../../database/queries/accounts.js";
import { balancesAt, type PastHolding } from "../../database/queries/balance-changes.js";
import { findBlocks } from "../../database/queries/blocks.js";
import { type IndexPoint, readIndexPoint } from "../../database/queries/head.js";
import { findMosaics } from "../../database/queries/mosaics.js";
import { findMultisigs, type MultisigEntry } from "../../database/queries/multisigs.js";
import { findAccountNames, findMosaicNames } from "../../database/queries/namespace-names.js";
import { findNamespaces } from "../../database/queries/namespaces.js";
import { readNetworkIdentifier } from "../../database/queries/network.js";
import {
  findResolutionDocuments,
  findStatementsOfPlaces,
  type WrittenAlias,
} from "../../database/queries/statements.js";
import { findTransactionsByHashes, findTransactionsByIds } from "../../database/queries/transactions.js";
import type { Context } from "../graph/context.js";
import { bodyOf } from "../graph/document.js";
import { formatHex, formatId, parseId } from "../graph/formats.js";
import { stateDb } from "../graph/state.js";
import { Loader } from "../services/loader.js";

type Source = { readonly primaryId: number; readonly secondaryId: number };

interface ResolutionBody {
  readonly statement: {
    readonly resolutionEntries: readonly { readonly source: Source; readonly resolved: string }[];
  };
}

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
  readonly namespace: Loader<bigint, Entry | undefined>;
  readonly block: Loader<number, Entry | undefined>;
  /** By id. */
  readonly transaction: Loader<Buffer, Entry | undefined>;
  readonly transactionByHash: Loader<Buffer, Entry | undefined>;
  /** By hash. */
  readonly status: Loader<Buffer, TransactionStatus | undefined>;
  /** Transaction statements by the id of a top-level transaction, including those of its embedded ones. */
  readonly statements: Loader<Buffer, readonly Entry[]>;
  readonly accountRestrictions: Loader<Buffer, Entry | undefined>;
  /** Balances of accounts at indexed heights. */
  readonly balanceAt: Loader<PastHolding, bigint>;
  readonly #addressResolutions: Loader<WrittenAlias, string | undefined>;
  readonly #mosaicResolutions: Loader<WrittenAlias, string | undefined>;
  readonly #indexPoints: Loader<undefined, IndexPoint>;
  readonly #context: Context;
  #networkIdentifier: Promise<number | undefined> | undefined;

  constructor(context: Context) {
    this.#context = context;
    const { db } = context;
    const ofState = () => stateDb(context);
    this.account = by(formatHex, addressOfAccount, async (keys) => findAccounts(await ofState(), keys));
    this.multisig = by(
      formatHex,
      ({ address }: MultisigEntry) => formatHex(address),
      async (keys) => findMultisigs(await ofState(), keys),
    );
    this.mosaic = by(formatId, idOfMosaic, async (keys) => findMosaics(await ofState(), keys));
    this.namespace = by(formatId, idOfNamespace, async (keys) => findNamespaces(await ofState(), keys));
    this.block = by(String, heightOf, (keys) => findBlocks(db, keys));
    this.transaction = by<Buffer, Entry>(
      formatHex,
      ({ id }: Entry) => formatHex(id),
      (keys) => findTransactionsByIds(db, keys),
    );
    this.transactionByHash = by<Buffer, Entry>(formatHex, hashOf, (keys) => findTransactionsByHashes(db, keys));
    this.status = by(
      formatHex,
      ({ hash }: TransactionStatus) => formatHex(hash),
      (keys) => findTransactionStatuses(db, keys),
    );
    this.accountRestrictions = by(formatHex, addressOfRestrictions, async (keys) =>
      findAccountRestrictions(await ofState(), keys),
    );
    this.#indexPoints = new Loader(async (keys) => {
      const point = await readIndexPoint(db);
      return keys.map(() => point);
    });
    this.balanceAt = new Loader((holdings) => balancesAt(db, holdings));
    this.accountNames = new Loader<Buffer, readonly string[]>(async (keys) => {
      const names = await findAccountNames(await ofState(), keys);
      return keys.map((key) => names.get(formatHex(key)) ?? []);
    });
    this.mosaicNames = new Loader<bigint, readonly string[]>(async (keys) => {
      const names = await findMosaicNames(await ofState(), keys);
      return keys.map((key) => names.get(formatId(key)) ?? []);
    });
    this.statements = new Loader<Buffer, readonly Entry[]>(async (ids) => {
      const places = ids.map(decodeEntityId).map(({ height, index }) => ({ height, primaryId: index + 1 }));
      const found = await findStatementsOfPlaces(db, places);
      return ids.map((_id, place) => found.filter((statement) => statement.place === place));
    });
    this.#addressResolutions = new Loader((aliases) => findResolutionDocuments(db, "address", aliases));
    this.#mosaicResolutions = new Loader((aliases) => findResolutionDocuments(db, "mosaic", aliases));
  }

  /** The current state of the index. */
  indexPoint(): Promise<IndexPoint> {
    return this.#indexPoints.load(undefined);
  }

  /** The account of a public key (32 bytes or 64 hex digits). */
  async accountOfKey(publicKey: Buffer | string): Promise<Entry | undefined> {
    this.#networkIdentifier ??= readNetworkIdentifier(this.#context.db);
    const network = await this.#networkIdentifier;
    if (network === undefined) return undefined;
    const key = typeof publicKey === "string" ? Buffer.from(publicKey, "hex") : publicKey;
    return this.account.load(addressOfPublicKey(key, network));
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
    if (written >> 63n === 0n) return written;
    if (!id) return undefined;
    const { height } = decodeEntityId(id);
    const resolved = resolvedAt(await this.#mosaicResolutions.load({ height, unresolved: idKey(written) }), id);
    return resolved === undefined ? undefined : parseId(resolved);
  }
}

/** The last resolution up to the position of a transaction in its block. */
function resolvedAt(document: string | undefined, id: Buffer): string | undefined {
  if (document === undefined) return undefined;
  const { index, embeddedIndex } = decodeEntityId(id);
  const { resolutionEntries } = (JSON.parse(document) as ResolutionBody).statement;
  const earlier = resolutionEntries.filter(
    ({ source }) =>
      source.primaryId < index + 1 || (source.primaryId === index + 1 && source.secondaryId <= embeddedIndex),
  );
  return earlier.at(-1)?.resolved;
}

const known = new WeakMap<Context, Joins>();

/** The joins of an operation. */
export function joinsOf(context: Context): Joins {
  const joins = known.get(context) ?? new Joins(context);
  known.set(context, joins);
  return joins;
}

/** A loader that reads each key once, and gives what was found for it. */
function by<Key, Found>(
  nameOfKey: (key: Key) => string,
  nameOfFound: (found: Found) => string,
  read: (keys: readonly Key[]) => Promise<readonly Found[]>,
): Loader<Key, Found | undefined> {
  return new Loader(async (keys) => {
    const distinct = new Map(keys.map((key) => [nameOfKey(key), key]));
    const found = new Map((await read([...distinct.values()])).map((one) => [nameOfFound(one), one]));
    return keys.map((key) => found.get(nameOfKey(key)));
  });
}

const addressOfAccount = (entry: Entry) => bodyOf<{ account: { address: string } }>(entry).account.address;
const addressOfRestrictions = (entry: Entry) =>
  bodyOf<{ accountRestrictions: { address: string } }>(entry).accountRestrictions.address;
const idOfMosaic = (entry: Entry) => bodyOf<{ mosaic: { id: string } }>(entry).mosaic.id;
const heightOf = (entry: Entry) => bodyOf<{ block: { height: string } }>(entry).block.height;
const hashOf = (entry: Entry) => bodyOf<{ meta: { hash: string } }>(entry).meta.hash;

function idOfNamespace(entry: Entry): string {
  const { level0, level1, level2 } = bodyOf<{ namespace: { level0: string; level1?: string; level2?: string } }>(
    entry,
  ).namespace;
  return level2 ?? level1 ?? level0;
}
