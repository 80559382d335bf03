import type { MosaicAmount } from "../../catapult/structs/nested-structs.js";
import { parseNetworkAddress } from "../standard/amounts.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import { messageBytes } from "../standard/message.js";
import type { NetworkFacts } from "../standard/network.js";
import type { Operation } from "../standard/schemas.js";
import { type Decimals, exactMosaicId, isOwn, ownMosaicId } from "./currency.js";
import { type IndexedOperation, noAmount, withPath } from "./indexed-operation.js";
import type { HashLockIntent, Intent, Transfer } from "./intent.js";
import { CosignMetadata, HashLockMetadata, NoMetadata, readMetadata, TransferMetadata } from "./operation-metadata.js";

/** The limits of the public networks; each transfer has up to 255 mosaics with two operations. */
const MAX_TRANSFERS = 100;
const MAX_SIGNERS = 25;
const MAX_MOSAICS = 255;
const MAX_OPERATIONS = 1000;
const MAX_AMOUNT = 2n ** 63n - 1n;

/** Operations as a transaction can have them, with the decimals of their currencies. */
export interface ReadOperations {
  readonly intent: Intent;
  readonly decimals: Decimals;
}

/** A debit, and the credit of the same amount after it. */
interface Movement {
  readonly member: string;
  readonly sender: Buffer;
  readonly recipient: Buffer;
  readonly mosaic: MosaicAmount;
  readonly message: Buffer;
}

/**
 * Reads the operations of a request: transfers, each as a debit followed by its credit, and then the accounts that
 * sign; or one hash lock; or one signature of a pending aggregate.
 * @throws MeshError that names the operation
 */
export function readOperations(operations: readonly Operation[], network: NetworkFacts): ReadOperations {
  if (operations.length === 0) throw invalidMember("operations", "must not be empty");
  if (operations.length > MAX_OPERATIONS) {
    throw invalidMember("operations", `must be at most ${MAX_OPERATIONS}, they are ${operations.length}`);
  }
  const indexed = operations.map((operation, index) => withPath(operation, index));
  const reader = new OperationReader(network);
  return { intent: reader.read(indexed), decimals: reader.decimals };
}

class OperationReader {
  readonly #network: NetworkFacts;
  readonly decimals = new Map<string, number>();

  constructor(network: NetworkFacts) {
    this.#network = network;
  }

  read(indexed: readonly IndexedOperation[]): Intent {
    const [first] = indexed;
    if (indexed.length === 1 && first?.operation.type === "hash_lock_created") return this.#hashLock(first);
    const firstCosign = indexed.findIndex(({ operation }) => operation.type === "cosign");
    const ofTransfers = firstCosign < 0 ? indexed : indexed.slice(0, firstCosign);
    const ofSigners = indexed.slice(ofTransfers.length);
    if (ofTransfers.length === 0 && first) return this.#cosignature(first, ofSigners);
    const transfers = this.#transfers(ofTransfers);
    return { kind: "transfers", transfers, cosigners: this.#cosigners(ofSigners, transfers) };
  }

  #cosignature(indexed: IndexedOperation, all: readonly IndexedOperation[]): Intent {
    const { operation, member } = indexed;
    if (all.length > 1) {
      throw new MeshError("invalidOperations", {
        member: "operations",
        problem: "one cosign operation signs a pending aggregate; several follow the transfers of a new one",
      });
    }
    noAmount(indexed);
    const { aggregate_hash: hash } = readMetadata(CosignMetadata, operation, member);
    return { kind: "cosignature", cosigner: this.#account(indexed), aggregateHash: Buffer.from(hash, "hex") };
  }

  #hashLock(indexed: IndexedOperation): HashLockIntent {
    const { operation, member } = indexed;
    const { aggregate_hash: hash, duration } = readMetadata(HashLockMetadata, operation, member);
    const { mosaicId, amount } = this.#amount(indexed);
    if (amount >= 0n) throw invalidMember(`${member}.amount.value`, "must be negative: a hash lock is a deposit");
    return {
      kind: "hashLock",
      signer: this.#account(indexed),
      mosaic: { mosaicId, amount: -amount },
      duration: BigInt(duration),
      aggregateHash: Buffer.from(hash, "hex"),
    };
  }

  #transfers(indexed: readonly IndexedOperation[]): readonly Transfer[] {
    const transfers: Transfer[] = [];
    for (let index = 0; index < indexed.length; index += 2) {
      const movement = this.#movement(indexed[index]!, indexed[index + 1]);
      const last = transfers.at(-1);
      if (last && continues(last, movement)) {
        transfers[transfers.length - 1] = { ...last, mosaics: [...last.mosaics, movement.mosaic].sort(byId) };
      } else {
        transfers.push(this.#makeTransfer(movement));
      }
    }
    if (transfers.length <= MAX_TRANSFERS) return transfers;
    throw invalidMember("operations", `have ${transfers.length} transfers, the maximum is ${MAX_TRANSFERS}`);
  }

  /** A transfer without mosaics has an amount of 0 of the currency in its operations. */
  #makeTransfer({ member, sender, recipient, mosaic, message }: Movement): Transfer {
    if (mosaic.amount > 0n) return { sender, recipient, mosaics: [mosaic], message };
    if (mosaic.mosaicId === ownMosaicId(this.#network)) return { sender, recipient, mosaics: [], message };
    throw invalidMember(
      `${member}.amount.value`,
      "must not be 0, except for a transfer of its message in the network's currency",
    );
  }

  #movement(debit: IndexedOperation, credit: IndexedOperation | undefined): Movement {
    for (const { operation, member } of credit ? [debit, credit] : [debit]) {
      if (operation.type !== "transfer") {
        throw new MeshError("invalidOperations", {
          member: `${member}.type`,
          problem: `must be transfer, cosign after all transfers, or a single hash_lock_created, not ${operation.type.slice(0, 50)}`,
        });
      }
    }
    if (!credit) throw unbalanced(debit.member, "a debit must be followed by its credit");
    const sent = this.#amount(debit);
    const received = this.#amount(credit);
    if (sent.amount > 0n)
      throw unbalanced(debit.member, "must have a negative amount: the debit is first, its credit follows");
    if (sent.mosaicId !== received.mosaicId || sent.amount + received.amount !== 0n) {
      throw unbalanced(credit.member, "must have the amount of the debit before it, with the other sign");
    }
    const message = messageBytes(
      readMetadata(TransferMetadata, debit.operation, debit.member),
      `${debit.member}.metadata`,
    );
    readMetadata(NoMetadata, credit.operation, credit.member);
    return {
      member: debit.member,
      sender: this.#account(debit),
      recipient: this.#account(credit),
      mosaic: { mosaicId: received.mosaicId, amount: received.amount },
      message,
    };
  }

  #cosigners(indexed: readonly IndexedOperation[], transfers: readonly Transfer[]): readonly Buffer[] {
    const cosigners = indexed.map((one) => {
      const { operation, member } = one;
      if (operation.type !== "cosign") {
        throw new MeshError("invalidOperations", {
          member: `${member}.type`,
          problem: "must be cosign after a cosign operation",
        });
      }
      noAmount(one);
      readMetadata(NoMetadata, operation, member);
      return this.#account(one);
    });
    const names = new Set(cosigners.map(nameOf));
    if (names.size < cosigners.length) throw invalidMember("operations", "have two cosign operations of one account");
    if (cosigners.length > MAX_SIGNERS) {
      throw invalidMember("operations", `have ${cosigners.length} cosign operations, the maximum is ${MAX_SIGNERS}`);
    }
    const senders = new Set(transfers.map(({ sender }) => nameOf(sender)));
    if (cosigners.length === 0 && senders.size > 1) {
      throw new MeshError("invalidOperations", {
        member: "operations",
        problem:
          "transfers of several senders need a cosign operation for each account that signs, the one that pays the fee first",
      });
    }
    if (cosigners.length === 1 && senders.size === 1 && senders.has(nameOf(cosigners[0]!))) {
      throw new MeshError("invalidOperations", {
        member: indexed[0]?.member,
        problem: "must be absent: the only sender signs without a cosign operation",
      });
    }
    return cosigners;
  }

  #account({ operation: { account }, member }: IndexedOperation): Buffer {
    if (!account) throw invalidMember(`${member}.account`, "is missing");
    if (account.sub_account) throw invalidMember(`${member}.account.sub_account`, "must be absent");
    if (account.metadata) throw invalidMember(`${member}.account.metadata`, "must be absent");
    return parseNetworkAddress(account.address, this.#network);
  }

  #amount({ operation: { amount }, member }: IndexedOperation): MosaicAmount {
    if (!amount) throw invalidMember(`${member}.amount`, "is missing");
    if (amount.metadata) throw invalidMember(`${member}.amount.metadata`, "must be absent");
    if (!/^(0|-?[1-9][0-9]{0,18})$/.test(amount.value)) {
      throw invalidMember(`${member}.amount.value`, "must be an integer of at most 19 digits, in atomic units");
    }
    const value = BigInt(amount.value);
    if (value > MAX_AMOUNT || -value > MAX_AMOUNT) throw invalidMember(`${member}.amount.value`, "is too large");
    const { currency } = amount;
    const id = exactMosaicId(currency, this.#network, `${member}.amount.currency`);
    const known = this.decimals.get(id);
    if (known !== undefined && known !== currency.decimals) {
      throw new MeshError("decimalsMismatch", { member: `${member}.amount.currency.decimals`, expected: known });
    }
    if (!isOwn(id, this.#network)) this.decimals.set(id, currency.decimals);
    return { mosaicId: BigInt(`0x${id}`), amount: value };
  }
}

/** Whether a movement is a further mosaic of the transfer before it. */
function continues(last: Transfer, { sender, recipient, mosaic, message }: Movement): boolean {
  return (
    last.sender.equals(sender) &&
    last.recipient.equals(recipient) &&
    message.length === 0 &&
    mosaic.amount > 0n &&
    last.mosaics.length > 0 &&
    last.mosaics.length < MAX_MOSAICS &&
    last.mosaics.every(({ mosaicId }) => mosaicId !== mosaic.mosaicId)
  );
}

function unbalanced(member: string, problem: string): MeshError {
  return new MeshError("unbalancedOperations", { member, problem });
}

/** In the order in which transactions have them. */
const byId = (a: MosaicAmount, b: MosaicAmount) => (a.mosaicId < b.mosaicId ? -1 : 1);
const nameOf = (address: Buffer) => address.toString("hex");
