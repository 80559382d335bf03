import { isAliasAddress } from "../entity/address.js";
import { BlockAliases } from "../entity/block-aliases.js";
import { BLOCK } from "../entity/entity-layout.js";
import type {
  BlockTransaction,
  EmbeddedTransaction,
  NetworkIdentity,
  Receipt,
  VerifiedBlock,
} from "../entity/model.js";
import { ACCOUNT_TYPE, type AccountState } from "./account.js";
import type { StateKey } from "./key.js";
import { StateKeySet } from "./state-key-set.js";
import { touchByTransaction } from "./touched-by-transaction.js";

/** Context besides the block. */
export interface TouchedKeysOptions {
  /**
   * With `rentalFeeSinks`, these are known from the first definition or registration on; otherwise from the first fee
   * on.
   */
  readonly network: Pick<NetworkIdentity, "identifier" | "rentalFeeSinks">;
  /**
   * The account (24 bytes) that receives the network's share of fees; the nemesis block creates it, if there is a
   * share.
   */
  readonly harvestFeeSink?: Buffer;
  /**
   * The root of a namespace, if known. Without it a child's own id may be among the keys: a node answers a request
   * for it with the value of its root (see `keyOfState`).
   */
  readonly rootOf?: (namespaceId: bigint) => bigint | undefined;
}

const ARTIFACT_KIND_OF_RECEIPT = new Map<number, "mosaic" | "namespace">([
  [0x414d, "mosaic"],
  [0x414e, "namespace"],
  [0x424e, "namespace"],
]);

class BlockTouch {
  readonly keys: StateKeySet;
  readonly #block: VerifiedBlock;
  readonly #options: TouchedKeysOptions;
  readonly #parents = new Map<bigint, bigint>();
  readonly #aliases: BlockAliases;

  constructor(keys: StateKeySet, block: VerifiedBlock, options: TouchedKeysOptions) {
    this.keys = keys;
    this.#block = block;
    this.#options = options;
    this.#aliases = new BlockAliases(block);
  }

  addAccounts(addresses: readonly Buffer[]): void {
    for (const address of addresses) if (!isAliasAddress(address)) this.keys.add("account", address);
  }

  addTransaction(transaction: BlockTransaction, embedded?: EmbeddedTransaction): void {
    const { entity, signerAddress } = embedded ?? transaction;
    const source = { primaryId: transaction.index + 1, secondaryId: embedded ? embedded.index + 1 : 0 };
    touchByTransaction(entity, {
      keys: this.keys,
      networkIdentifier: this.#options.network.identifier,
      sinks: this.#options.network.rentalFeeSinks?.(this.#block.height),
      signerAddress,
      hash: transaction.hash,
      resolveAddress: (bytes) => this.#aliases.address(Buffer.from(bytes), source),
      resolveMosaic: (unresolved) => this.#aliases.mosaic(unresolved, source),
      addChildNamespace: (id, parentId) => this.#parents.set(id, parentId),
      touchNamespace: (id) => this.touchNamespace(id),
    });
  }

  addReceipt(receipt: Receipt): void {
    if (receipt.kind === "balanceTransfer") this.addAccounts([receipt.senderAddress, receipt.recipientAddress]);
    else if (receipt.kind === "balanceChange") this.addAccounts([receipt.targetAddress]);
    else if (receipt.kind === "inflation") this.keys.addId("mosaic", receipt.mosaicId);
    else if (receipt.kind === "artifactExpiry") {
      const kind = ARTIFACT_KIND_OF_RECEIPT.get(receipt.type);
      if (kind) this.keys.addId(kind, receipt.artifactId);
    }
  }

  touchNamespace(id: bigint): void {
    let highest = id;
    for (let parent = this.#parents.get(id); parent !== undefined; parent = this.#parents.get(highest))
      highest = parent;
    this.keys.addId("namespace", this.#options.rootOf?.(highest) ?? highest);
  }
}

/**
 * Adds the keys of all state values that a block may have changed: by its transactions and their
 * embedded ones, by its receipts (fees, rental fees, locks, expiries, inflation), and by being harvested. Some of
 * them may not have changed.
 *
 * Four kinds of changes are not in the block, and need data of an index:
 * - importances: see `isImportanceBlock`, `hasImportance`;
 * - a remote account that is beneficiary of a block: see `mainAccountOf`;
 * - the end of a lock or a namespace changes no value, it only leaves the tree (see `verifyStateValue`); but when the
 *   finalized height of the node has reached it, the node forgets the value with its next block: see `hasEnded`;
 * - a fork: what the dropped blocks changed, importances included, is to be read again.
 *
 * Changes by a transaction of an unknown type or version, besides the accounts in its receipts, are unknown.
 */
export function addTouchedKeys(keys: StateKeySet, block: VerifiedBlock, options: TouchedKeysOptions): void {
  const touch = new BlockTouch(keys, block, options);
  touch.addAccounts([block.signerAddress, block.beneficiaryAddress]);
  if (block.height === 1 && options.harvestFeeSink) touch.addAccounts([options.harvestFeeSink]);
  for (const transaction of block.transactions) {
    touch.addAccounts(transaction.relatedAddresses);
    touch.addTransaction(transaction);
    for (const embedded of transaction.embedded) touch.addTransaction(transaction, embedded);
  }
  for (const { receipts } of block.statement.transactionStatements)
    for (const receipt of receipts) touch.addReceipt(receipt);
}

/** The same of one block alone, without duplicates. */
export function touchedKeys(block: VerifiedBlock, options: TouchedKeysOptions): StateKey[] {
  const keys = new StateKeySet();
  addTouchedKeys(keys, block, options);
  return [...keys];
}

/**
 * Whether importances are calculated with this block. Then the accounts of `hasImportance` change too, before or
 * after it. Source: catapult's `RecalculateImportancesObserver`, `BlockTypeValidator`.
 */
export function isImportanceBlock(block: VerifiedBlock): boolean {
  return block.headerSize === BLOCK.importanceHeaderSize;
}

/** Settings of the network: `chain` in its `config-network.properties`; the balance in atomic units. */
export interface HarvestingRules {
  readonly harvestingMosaicId: bigint;
  readonly minHarvesterBalance: bigint;
}

/**
 * The public key (32 bytes) of the main account of a remote one, undefined for all others. A block whose beneficiary
 * is a remote account counts for its main account, which is not in the block unless it received a fee: for every
 * block, the beneficiary's state has to be read first, and then its main account too. Source: catapult's
 * `BeneficiaryObserver`, `ProcessForwardedAccountState`.
 */
export function mainAccountOf(account: AccountState): Buffer | undefined {
  return account.accountType === ACCOUNT_TYPE.remote ? account.linkedPublicKey : undefined;
}
