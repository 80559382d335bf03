import { checkedMerkleRoot, merkleRoot } from "../crypto/merkle.js";
import { verifySignature, verifySignatureAside } from "../crypto/signature.js";
import { decodeBlock, totalFee } from "../entity/block.js";
import { EntityError } from "../entity/entity-error.js";
import { BLOCK, EMBEDDED, VERIFIABLE } from "../entity/entity-layout.js";
import { blockSigningBytes, sha3, splitHashes } from "../entity/hashes.js";
import { hex } from "../entity/hex.js";
import type {
  Block,
  BlockStatement,
  BlockTransaction,
  NetworkIdentity,
  ReceiptSource,
  ResolutionStatement,
  VerifiedBlock,
} from "../entity/model.js";
import { compareSources, decodeStatement, hasStatement, statementHashes } from "../entity/statement.js";
import { withStatementAddresses } from "../entity/statement-addresses.js";
import { isUnknown } from "../entity/transaction-entity.js";
import { publicNetwork } from "../network/public-networks.js";
import { BLOCK_TYPE, RECEIPT_TYPE } from "../structs/type-names.js";
import { BlockRejectedError } from "./block-rejected-error.js";
import { checkTransaction, listSignatures, rejectSignature, type Signed } from "./check-transaction.js";

export { BlockRejectedError } from "./block-rejected-error.js";

/** The data of a block's parent; the timestamp is in milliseconds since the network's epoch. */
export interface ParentBlock {
  readonly height: number;
  readonly hash: Buffer;
  readonly timestamp: number;
}

/** A block as received from a node, and the data to verify it against. */
export interface BlockToVerify {
  readonly bytes: Buffer;
  /** The response to the block statement request; empty only if the network writes no receipts, or with `execute`. */
  readonly statementBytes: Buffer;
  /** The same bytes decoded, if that was done before. */
  readonly decoded?: Block | undefined;
  /** The roots under the state hash, if the node sent them. */
  readonly subCacheMerkleRoots?: readonly Buffer[];
  readonly network: NetworkIdentity;
  /** The required parent of the block; not checked if absent, and never for the nemesis block. */
  readonly previous?: ParentBlock;
  /**
   * Whether to verify all signatures (default true); hashes are always verified, and signatures of data that no hash
   * covers.
   */
  readonly checkSignatures?: boolean;
  /**
   * Whether votes prove the hash of the block: the signatures that it covers are not verified then, and its receipts may
   * be others than those of its header.
   */
  readonly isProven?: boolean | undefined;
  /** Replaces the network's own list (see `network-exceptions.ts`). */
  readonly corruptAggregateHashes?: ReadonlyMap<string, string>;
  /**
   * Executes the block, after everything in the block itself is verified: returns the statement and the roots to
   * verify against the header, in place of `statementBytes` and `subCacheMerkleRoots`.
   */
  readonly execute?: (block: Block) => BlockOutcome;
  /** Called when the block was decoded, before it is verified: for measurements. */
  readonly onDecoded?: () => void;
}

/** The result of executing a block. */
export interface BlockOutcome {
  /** The statement in the form of a node's block statement response. */
  readonly statement: Buffer;
  /** The roots of the nine sub-caches, 32 bytes each; empty if they are unknown. */
  readonly subCacheMerkleRoots: readonly Buffer[];
}

const NO_STATEMENT: BlockStatement = { transactionStatements: [], addressResolutions: [], mosaicResolutions: [] };
const ZERO_HASH = Buffer.alloc(32);

class BlockCheck {
  readonly #height: number;

  constructor(height: number) {
    this.#height = height;
  }

  reject(field: string, problem: string): never {
    throw new BlockRejectedError(this.#height, field, problem);
  }

  sameHash(field: string, actual: Buffer, expected: Buffer, origin: string): void {
    if (!actual.equals(expected)) this.reject(field, `is ${hex(actual)}, but that of ${origin} is ${hex(expected)}`);
  }
}

/** The height in a header, for messages about blocks that cannot be decoded. */
function claimedHeight(bytes: Buffer): number {
  return bytes.length < BLOCK.height + 8 ? 0 : Number(bytes.readBigUInt64LE(BLOCK.height));
}

/** Converts errors about malformed bytes into rejections of the block. */
function orReject<T>(height: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    const problem = error.message.slice(error.field.length + 2);
    throw new BlockRejectedError(height, error.field, problem, { cause: error });
  }
}

function checkParent(check: BlockCheck, block: Block, previous: ParentBlock | undefined): void {
  const isNemesis = block.height === 1;
  if (isNemesis !== (block.entity.type === BLOCK_TYPE.nemesis))
    check.reject("type", `is 0x${block.entity.type.toString(16)} at height ${block.height}`);
  if (isNemesis) check.sameHash("previousHash", block.previousHash, ZERO_HASH, "a nemesis block");
  if (isNemesis || previous === undefined) return;
  if (block.height !== previous.height + 1)
    check.reject("height", `is ${block.height}, but the parent is at ${previous.height}`);
  check.sameHash("previousHash", block.previousHash, previous.hash, `the parent at ${previous.height}`);
  if (block.timestamp <= previous.timestamp)
    check.reject("timestamp", `is ${block.timestamp}, but the parent's is ${previous.timestamp}`);
}

/**
 * Verifies the hash over the transactions. For the first block, nodes never compare the header's with their own
 * (catapult's `NemesisBlockLoader`), and that of the main network differs: there the known root of a public network
 * counts instead.
 * @returns whether a hash covers the transactions: otherwise only their signatures do
 */
function checkTransactionsHash(check: BlockCheck, block: Block, network: NetworkIdentity): boolean {
  const leaves = block.transactions.map((transaction) => transaction.merkleComponentHash);
  const { root, isAmbiguous } = checkedMerkleRoot(leaves);
  const claimed = block.entity.transactionsHash;
  const origin = `the ${leaves.length} transactions' tree`;
  if (isAmbiguous) check.reject("transactionsHash", "is also the hash of a shorter list: transactions are repeated");
  if (block.height > 1) check.sameHash("transactionsHash", claimed, root, origin);
  const known = block.height > 1 ? claimed : publicNetwork(network)?.nemesisTransactionsRoot;
  if (known) check.sameHash("transactions", known, root, origin);
  return root.equals(known ?? claimed);
}

function checkSource(check: BlockCheck, block: Block, source: ReceiptSource, field: string): void {
  const { primaryId, secondaryId } = source;
  const embeddedCount = primaryId === 0 ? 0 : countEmbedded(block.transactions[primaryId - 1]);
  if (embeddedCount === undefined)
    check.reject(field, `is transaction ${primaryId} in a block of ${block.transactions.length} transactions`);
  if (secondaryId > embeddedCount)
    check.reject(field, `is embedded transaction ${secondaryId} of ${embeddedCount} in transaction ${primaryId}`);
}

/** The content of an unknown transaction is unknown: at most as many as fit into it. */
function countEmbedded(transaction: BlockTransaction | undefined): number | undefined {
  if (!transaction || !isUnknown(transaction.entity)) return transaction?.embedded.length;
  return Math.floor(transaction.entity.payload.length / EMBEDDED.headerSize);
}

/**
 * The node stores statements and their entries in ascending order without duplicates; other orders cannot be its own.
 */
function requireAscending<T>(
  check: BlockCheck,
  items: readonly T[],
  compare: (left: T, right: T) => number,
  name: string,
) {
  for (let i = 1; i < items.length; ++i)
    if (compare(items[i - 1]!, items[i]!) >= 0) check.reject(`${name}[${i}]`, "is not in ascending order");
}

function checkResolutions<T>(
  check: BlockCheck,
  block: Block,
  resolutions: readonly ResolutionStatement<T>[],
  compare: (left: T, right: T) => number,
  name: string,
): void {
  requireAscending(check, resolutions, (left, right) => compare(left.unresolved, right.unresolved), name);
  resolutions.forEach((resolution, index) => {
    const entriesName = `${name}[${index}].entries`;
    requireAscending(
      check,
      resolution.entries,
      (left, right) => compareSources(left.source, right.source),
      entriesName,
    );
    resolution.entries.forEach((entry, i) => {
      checkSource(check, block, entry.source, `${entriesName}[${i}].source`);
    });
  });
}

function compareBigInts(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function checkReceiptsHash(check: BlockCheck, block: Block, statement: BlockStatement): void {
  const leaves = statementHashes(statement);
  const claimed = block.entity.receiptsHash;
  check.sameHash("receiptsHash", claimed, merkleRoot(leaves), `the ${leaves.length} statements' tree`);
}

function checkStatement(check: BlockCheck, block: Block, statement: BlockStatement): void {
  const { transactionStatements } = statement;
  requireAscending(
    check,
    transactionStatements,
    (left, right) => compareSources(left.source, right.source),
    "transactionStatements",
  );
  transactionStatements.forEach(({ source }, index) => {
    checkSource(check, block, source, `transactionStatements[${index}].source`);
  });
  checkResolutions(check, block, statement.addressResolutions, Buffer.compare, "addressResolutions");
  checkResolutions(check, block, statement.mosaicResolutions, compareBigInts, "mosaicResolutions");
}

/**
 * The header does not cover the sizes of its transactions, but they pay by size, and the receipts contain what was
 * paid: the harvest fees add up to the sum of all fees and the inflation.
 */
function checkTotalFee(check: BlockCheck, block: Block, statement: BlockStatement): void {
  let harvested = 0n;
  let inflation = 0n;
  for (const { source, receipts } of statement.transactionStatements) {
    if (source.primaryId !== 0) continue;
    for (const receipt of receipts) {
      if (receipt.type === RECEIPT_TYPE.harvest_fee && receipt.kind === "balanceChange") harvested += receipt.amount;
      if (receipt.kind === "inflation") inflation += receipt.amount;
    }
  }
  const expected = harvested - inflation;
  const actual = totalFee(block);
  if (actual !== expected)
    check.reject("totalFee", `is ${actual} by the transactions' sizes, but ${expected} by the receipts`);
}

function checkStateHash(check: BlockCheck, block: Block, roots: readonly Buffer[]): void {
  if (roots.length === 0) return;
  const claimed = block.entity.stateHash;
  check.sameHash("stateHash", claimed, sha3(...roots), `the ${roots.length} sub-cache roots' hash`);
}

function signatureOf({ bytes, hash, headerSize, signerPublicKey: publicKey }: Block): Signed {
  const signature = bytes.subarray(VERIFIABLE.signature, VERIFIABLE.signerPublicKey);
  const data = blockSigningBytes(bytes, headerSize);
  return { field: "signature", publicKey, data, signature, what: "block", hash };
}

function checkBlockSignature(block: Block): void {
  const signed = signatureOf(block);
  if (verifySignature(signed.publicKey, signed.data, signed.signature)) return;
  orReject(block.height, () => rejectSignature(signed));
}

/**
 * Verifies all signatures of a block by threads of Node.js: of the block, of its transactions, and of their cosigners.
 *
 * @param isProven see `BlockToVerify.isProven`
 * @throws BlockRejectedError naming the first that is invalid
 */
export async function verifySignatures(block: Block, network: NetworkIdentity, isProven: boolean): Promise<void> {
  let portion = isProven ? [] : [signatureOf(block)];
  const verifyPortion = async () => {
    const all = portion;
    portion = [];
    const valid = await Promise.all(
      all.map(({ publicKey, data, signature }) => verifySignatureAside(publicKey, data, signature)),
    );
    for (const [position, signed] of all.entries()) {
      if (!valid[position]) orReject(block.height, () => rejectSignature(signed));
    }
  };
  for (const transaction of block.transactions) {
    portion.push(...listSignatures(transaction, network, makePath(transaction), isProven));
    if (portion.length >= SIGNATURES_AT_A_TIME) await verifyPortion();
  }
  await verifyPortion();
}

/** Each needs a kilobyte meanwhile. */
const SIGNATURES_AT_A_TIME = 4_096;

function makePath({ index }: BlockTransaction): string {
  return `transactions[${index}]`;
}

/**
 * Verifies that the transactions of a block are those of its header; signatures and receipts are not verified.
 * @throws BlockRejectedError
 */
export function verifyBody(bytes: Buffer, network: NetworkIdentity): void {
  const block = orReject(claimedHeight(bytes), () => decodeBlock(bytes, network));
  checkTransactionsHash(new BlockCheck(block.height), block, network);
  for (const transaction of block.transactions) {
    const path = makePath(transaction);
    orReject(block.height, () => checkTransaction(transaction, network, { checkSignatures: false, path }));
  }
}

/**
 * Decodes a block and verifies all its contents against its header and its parent. Throws `BlockRejectedError`, naming
 * the height, the field, and the expected and actual value, when the bytes are malformed or one of these is invalid:
 * parent link (height, previous hash, increasing timestamp), hash over the transactions (except for the first block),
 * hashes over embedded transactions, hash over the receipts, sources of receipts, sum of fees, state hash (if roots
 * are given), and, unless disabled, the signatures of block, transactions and cosigners.
 */
export function verifyBlock(options: BlockToVerify): VerifiedBlock {
  const { bytes, network, previous, checkSignatures = true, corruptAggregateHashes } = options;
  const block = options.decoded ?? orReject(claimedHeight(bytes), () => decodeBlock(bytes, network));
  options.onDecoded?.();
  const check = new BlockCheck(block.height);
  checkParent(check, block, previous);
  const areCovered = checkTransactionsHash(check, block, network);
  const isProven = areCovered && options.isProven === true;
  const checkAuthors = () => {
    if (checkSignatures && !isProven) checkBlockSignature(block);
    for (const transaction of block.transactions) {
      const path = makePath(transaction);
      orReject(block.height, () =>
        checkTransaction(transaction, network, {
          checkSignatures: checkSignatures || !areCovered,
          path,
          isProven,
          ...(corruptAggregateHashes && { corruptAggregateHashes }),
        }),
      );
    }
  };
  // Only an authenticated block is executed; comparing given hashes costs less than verifying signatures.
  if (options.execute) checkAuthors();
  const outcome = options.execute?.(block);
  const statementBytes = outcome?.statement ?? options.statementBytes;
  const subCacheMerkleRoots = outcome?.subCacheMerkleRoots ?? options.subCacheMerkleRoots ?? [];
  const isStatementLeftOut = isLeftOut(block, statementBytes);
  const statement = decodeOrReject(block, statementBytes);
  if (!options.isProven) checkReceiptsHash(check, block, statement);
  checkStatement(check, block, statement);
  if (!isStatementLeftOut && !options.isProven) checkTotalFee(check, block, statement);
  checkStateHash(check, block, subCacheMerkleRoots);
  if (!options.execute) checkAuthors();
  return withStatement(block, { statementBytes, statement, subCacheMerkleRoots });
}

/**
 * A block that was verified elsewhere, with the results of its execution: its statement, and the roots of the sub-caches,
 * concatenated. One that was verified here has them.
 */
export function withOutcome(
  block: Block | VerifiedBlock,
  { statement, subCacheMerkleRoots }: { readonly statement: Buffer; readonly subCacheMerkleRoots: Buffer },
): VerifiedBlock {
  if ("statement" in block) return block;
  return withStatement(block, {
    statementBytes: statement,
    statement: decodeOrReject(block, statement),
    subCacheMerkleRoots: splitHashes(subCacheMerkleRoots),
  });
}

function withStatement(
  block: Block,
  results: Pick<VerifiedBlock, "statementBytes" | "statement" | "subCacheMerkleRoots">,
): VerifiedBlock {
  const transactions = withStatementAddresses(block.transactions, results.statement);
  // Not a copy, which would compute what is computed when it is used.
  return Object.assign(block, { transactions, ...results });
}

/** Whether a block has no statement because its network writes no receipts. */
function isLeftOut({ entity }: Block, statementBytes: Buffer): boolean {
  return statementBytes.length === 0 && !hasStatement(entity.receiptsHash);
}

function decodeOrReject(block: Block, statementBytes: Buffer): BlockStatement {
  if (isLeftOut(block, statementBytes)) return NO_STATEMENT;
  return orReject(block.height, () => decodeStatement(statementBytes));
}
