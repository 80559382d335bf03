import { checkAnnouncedTransaction } from "../../catapult/announcement/announcement.js";
import { AnnouncementError } from "../../catapult/announcement/announcement-error.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { computeFee } from "../../catapult/entity/block.js";
import { splitCosignatures } from "../../catapult/entity/cosignature.js";
import { COSIGNATURE, TRANSACTION } from "../../catapult/entity/entity-layout.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import { hex } from "../../catapult/entity/hex.js";
import type { BlockTransaction, NetworkIdentity } from "../../catapult/entity/model.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { asAggregate, decodeTransaction } from "../../catapult/entity/transaction.js";
import { idText } from "../../catapult/json/format.js";
import type { SimulationBody } from "../../catapult/json/simulation.js";
import type { TransactionRules } from "../../catapult/network/transaction-rules.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { renderReceipt } from "../../catapult/structs/receipt.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import type { DryRun, DryRunChanges } from "../../ledger/engine/dry-run.js";
import type { SparseState } from "../../ledger/engine/sparse-state.js";
import type { MissingApproval } from "../../ledger/rules/multisig.js";
import { ApiError } from "../errors/errors.js";

/** How transactions are simulated. */
export interface SimulationOptions {
  readonly network: NetworkIdentity;
  readonly rules: TransactionRules;
  /** Whether they are yet to be signed: signatures are not checked, and missing cosignatures are only named. */
  readonly isUnsigned: boolean;
  /** The network's time, in ms since its epoch. */
  readonly now: number;
  /** The lowest fee multiplier that the node accepts. */
  readonly minFeeMultiplier: number;
}

/** Code for a fee below the node's minimum, of which a node says nothing. */
const FEE_TOO_LOW = "Failure_Core_Invalid_Transaction_Fee";

/** A transaction that is to be tried, and what is wrong with it in any state. */
export interface CheckedCandidate {
  readonly bytes: Buffer;
  readonly hash: Buffer;
  /** Undefined if it is valid in some state. */
  readonly invalid?: { readonly code: string; readonly reason: string };
}

/**
 * Reads a payload, and performs all checks that need no state.
 *
 * @throws ApiError InvalidContent naming the argument, for bytes that are not a transaction
 */
export function readCandidate(bytes: Buffer, name: string, options: SimulationOptions): CheckedCandidate {
  const { network, rules, isUnsigned } = options;
  try {
    const { hash } = checkAnnouncedTransaction(bytes, { network, rules, isUnsigned });
    return { bytes, hash };
  } catch (error) {
    if (!(error instanceof AnnouncementError)) throw error;
    if (error.problem === "malformed" || !error.code) {
      throw new ApiError("InvalidContent", `${name} must be a transaction: ${error.message}`, { cause: error });
    }
    const { code, message: reason } = error;
    return { bytes, hash: transactionHash(bytes, network), invalid: { code, reason } };
  }
}

/**
 * What would happen to transactions in the next block, each after those before it.
 *
 * @throws DryRunLimitError if they need too much of the state
 */
export function simulate(
  state: SparseState,
  candidates: readonly CheckedCandidate[],
  options: SimulationOptions,
): Promise<SimulationBody[]> {
  const decoded = candidates.map((one) => ({
    ...one,
    transaction: one.invalid ? undefined : decodeTransaction(one.bytes, options.network),
  }));
  return state.run((startDryRun) => {
    // A node evaluates by maximum fees; what is paid in the end is less.
    const withMaximumFee = startDryRun();
    const withPaidFee = startDryRun();
    return decoded.map((one) => simulateOne(one, { withMaximumFee, withPaidFee, state, options }));
  });
}

/** Transactions in the course of being tried: as a node evaluates them, and with what is paid in the end. */
interface Simulation {
  readonly withMaximumFee: DryRun;
  readonly withPaidFee: DryRun;
  readonly state: SparseState;
  readonly options: SimulationOptions;
}

interface Candidate extends CheckedCandidate {
  readonly transaction: BlockTransaction | undefined;
}

type Outcome = Pick<SimulationBody, "code" | "reason" | "hasLock"> & {
  readonly changes?: DryRunChanges | undefined;
  readonly missing?: readonly MissingApproval[] | undefined;
};

function simulateOne(candidate: Candidate, simulation: Simulation): SimulationBody {
  const { code, reason, changes, missing = [], hasLock } = describeOutcome(candidate, simulation);
  const { maxFee, expected, minimum, ...size } = computeFees(candidate.bytes, missing, simulation);
  return {
    hash: hex(candidate.hash),
    code,
    ...(reason !== undefined && { reason }),
    height: String(simulation.state.height),
    fee: { ...size, maxFee: String(maxFee), expected: String(expected), minimum: String(minimum) },
    balances: (changes?.balances ?? []).map(({ address, mosaicId, before, after }) => ({
      address: hex(address),
      mosaicId: idText(mosaicId),
      before: String(before),
      after: String(after),
    })),
    receipts: changes ? receiptsIn(changes.statement) : [],
    entries: (changes?.entries ?? []).map(({ kind, key, change }) => ({ kind, key: keyText(kind, key), change })),
    missingCosignatures: missing.map(({ address, needed, cosigners }) => ({
      address: hex(address),
      needed,
      cosigners: cosigners.map(hex),
    })),
    ...(hasLock !== undefined && { hasLock }),
  };
}

function describeOutcome({ transaction, invalid }: Candidate, simulation: Simulation): Outcome {
  if (!transaction) return { code: "Failure", ...invalid };
  const { withMaximumFee, withPaidFee, options } = simulation;
  const { isUnsigned, now } = options;
  const { bytes, entity, hash } = transaction;
  const aggregate = asAggregate(entity);
  const isBonded = entity.type === TRANSACTION_TYPE.aggregate_bonded;
  const missing = aggregate && withMaximumFee.missingApprovals(transaction, listSigners(transaction, options.network));
  const about = { missing, ...(isBonded && !isUnsigned && { hasLock: withMaximumFee.hasLock(hash) }) };
  const isPartial = isBonded && !isUnsigned && (missing?.length ?? 0) > 0;
  if (isPartial) {
    const bare = decodeTransaction(splitCosignatures(bytes).aggregate, options.network);
    const failure = withMaximumFee.checkPartial(bare, now);
    if (failure) return { code: failure, ...about };
  }
  const assumed = { assumesCosignatures: isUnsigned || isPartial, assumesLock: isUnsigned };
  const failure = withMaximumFee.add(transaction, now, assumed);
  if (failure) return { code: failure, ...about };
  const { size, maxFee, expected, minimum } = computeFees(bytes, missing, simulation);
  if (maxFee < minimum) {
    const reason = `transaction.maxFee: is ${maxFee}, the node accepts no less than ${minimum} for ${size} bytes`;
    return { code: FEE_TOO_LOW, reason, ...about };
  }
  const { changes, failure: late } = withPaidFee.try(transaction, now, { ...assumed, fee: expected });
  return late ? { code: late, ...about } : { code: "Success", changes, ...about };
}

/** Size in bytes with the missing cosignatures, and fees in atomic units. */
function computeFees(bytes: Buffer, missing: readonly MissingApproval[] = [], { state, options }: Simulation) {
  const size = bytes.length + COSIGNATURE.size * missing.reduce((sum, { needed }) => sum + needed, 0);
  const maxFee = bytes.readBigUInt64LE(TRANSACTION.maxFee);
  const { feeMultiplier } = state;
  const present: bigint = computeFee(size, feeMultiplier);
  const minimum = computeFee(size, options.minFeeMultiplier);
  return { size, maxFee, feeMultiplier, expected: present < maxFee ? present : maxFee, minimum };
}

function listSigners({ entity, signerAddress }: BlockTransaction, { identifier }: NetworkIdentity): Buffer[] {
  const cosignatures = asAggregate(entity)?.cosignatures ?? [];
  return [signerAddress, ...cosignatures.map((one) => addressOfPublicKey(one.signerPublicKey, identifier))];
}

function receiptsIn(statement: Buffer): SimulationBody["receipts"] {
  const { transactionStatements } = decodeStatement(statement);
  return transactionStatements.flatMap(({ receipts }) => receipts.map(({ bytes }) => renderReceipt(bytes)));
}

/** Ids are big-endian as texts. */
function keyText(kind: StateKind, key: Buffer): string {
  return kind === "mosaic" || kind === "namespace" ? idText(key.readBigUInt64LE()) : hex(key);
}
