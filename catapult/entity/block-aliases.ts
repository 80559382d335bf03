import { decodeNamespaceId, isAliasAddress, isAliasMosaic } from "./address.js";
import type {
  BlockStatement,
  BlockTransaction,
  EmbeddedTransaction,
  ReceiptSource,
  ResolutionStatement,
} from "./model.js";
import { compareSources, entryAt } from "./statement.js";

const LINK = 1;

/** The target of an alias from a position in the block on; undefined if it has none of the requested kind. */
interface AliasChange {
  readonly source: ReceiptSource;
  readonly address: Buffer | undefined;
  readonly mosaicId: bigint | undefined;
}

/** The parts of a block that determine its aliases: transactions in order, of which all but links may be left out. */
export interface AliasSource {
  readonly transactions: readonly (Pick<BlockTransaction, "index" | "entity"> & {
    readonly embedded: readonly Pick<EmbeddedTransaction, "index" | "entity">[];
  })[];
  readonly statement: Pick<BlockStatement, "addressResolutions" | "mosaicResolutions">;
}

/**
 * The targets of the aliases in a block at each position (source: primary id n for the n-th transaction, secondary id
 * m for the m-th inside it, both from 1).
 *
 * The node records a resolution only if it differs from the previous one, and none for an alias without a target:
 * then it uses the alias itself as an address or a mosaic id, and may even create state of it. So an alias resolves
 * to the result of the block's own links and unlinks, if there were any before that position, else to the last record
 * up to it, else to itself. Source: catapult's `NamespacePlugin` (resolvers), `PluginManager::createResolverContext`,
 * `observers/ObserverStatementBuilder` (`Bind`), `ResolutionStatement::addResolution`.
 */
export class BlockAliases {
  readonly #changes = new Map<bigint, AliasChange[]>();
  readonly #addresses = new Map<string, ResolutionStatement<Buffer>["entries"]>();
  readonly #mosaics = new Map<bigint, ResolutionStatement<bigint>["entries"]>();

  constructor({ transactions, statement }: AliasSource) {
    for (const { unresolved, entries } of statement.addressResolutions)
      this.#addresses.set(unresolved.toString("latin1"), entries);
    for (const { unresolved, entries } of statement.mosaicResolutions) this.#mosaics.set(unresolved, entries);
    for (const transaction of transactions) {
      this.#note(transaction, transaction.index + 1, 0);
      for (const embedded of transaction.embedded) this.#note(embedded, transaction.index + 1, embedded.index + 1);
    }
  }

  /** Resolves an address of a transaction to an account (24 bytes). */
  address(unresolved: Buffer, source: ReceiptSource): Buffer {
    if (!isAliasAddress(unresolved)) return unresolved;
    const entries = this.#addresses.get(unresolved.toString("latin1"));
    const change = this.#lastChange(decodeNamespaceId(unresolved), source);
    const resolved = resolve(entries, source, change);
    return resolved ?? (change ? change.address : undefined) ?? unresolved;
  }

  /** Resolves a mosaic id of a transaction. */
  mosaic(unresolved: bigint, source: ReceiptSource): bigint {
    if (!isAliasMosaic(unresolved)) return unresolved;
    const change = this.#lastChange(unresolved, source);
    const resolved = resolve(this.#mosaics.get(unresolved), source, change);
    return resolved ?? (change ? change.mosaicId : undefined) ?? unresolved;
  }

  #note(
    { entity }: Pick<BlockTransaction | EmbeddedTransaction, "entity">,
    primaryId: number,
    secondaryId: number,
  ): void {
    if (entity.kind === "address_alias") {
      const address = entity.aliasAction === LINK ? entity.address : undefined;
      this.#add(entity.namespaceId, { source: { primaryId, secondaryId }, address, mosaicId: undefined });
    } else if (entity.kind === "mosaic_alias") {
      const mosaicId = entity.aliasAction === LINK ? entity.mosaicId : undefined;
      this.#add(entity.namespaceId, { source: { primaryId, secondaryId }, address: undefined, mosaicId });
    }
  }

  #add(namespaceId: bigint, change: AliasChange): void {
    const changes = this.#changes.get(namespaceId);
    if (changes) changes.push(change);
    else this.#changes.set(namespaceId, [change]);
  }

  #lastChange(namespaceId: bigint, source: ReceiptSource): AliasChange | undefined {
    return this.#changes.get(namespaceId)?.findLast((change) => compareSources(change.source, source) < 0);
  }
}

/** The last record up to a position, unless the alias changed after it. */
function resolve<T>(
  entries: ResolutionStatement<T>["entries"] | undefined,
  source: ReceiptSource,
  change: AliasChange | undefined,
): T | undefined {
  const entry = entries && entryAt(entries, source);
  return entry && (!change || compareSources(entry.source, change.source) > 0) ? entry.resolved : undefined;
}
