import {
  AGGREGATE,
  BLOCK,
  EMBEDDED,
  paddingSize,
  TRANSACTION,
  VERIFIABLE,
} from "../../catapult/entity/entity-layout.js";
import { isAggregateType } from "../../catapult/structs/type-names.js";
import {
  accountLink,
  addressAlias,
  addressRestriction,
  addressValue,
  childNamespace,
  globalRestriction,
  hashLock,
  metadata,
  mosaicAlias,
  mosaicListing,
  operationRestriction,
  revocation,
  rootNamespace,
  secretLock,
  secretProof,
  votingLink,
  vrfLink,
} from "../devnet/state-descriptors.js";
import {
  account,
  CURRENCY,
  mosaicDefinition,
  NETWORK,
  supplyChange,
  TestChain,
  transfer,
} from "../devnet/state-test-chain.js";
import type { ServedBlock } from "./branch-node.js";
import { addressResolutions, id, type MadeReceipts, makeBlock, receipt } from "./made-block.js";
import {
  aggregateBody,
  makeEmbedded,
  makeTransaction,
  signAggregate,
  signTransaction,
  type TransactionToMake,
} from "./made-transaction.js";
import type { SeededRandom } from "./seeded-random.js";

/** A randomly changed block, and the checks that may reject it: without any, it has to be indexed. */
export interface FuzzedBlock extends ServedBlock {
  readonly hash: Buffer;
  readonly mayBeRejected: RegExp | undefined;
}

/** What is wrong with bytes that were changed after everything was signed. */
export const ANY_CHECK =
  /^(block\.(size|height|timestamp)|height|type|previousHash|timestamp|transactionsHash|receiptsHash|stateHash|signature|totalFee|transactions\[\d+\]\.(size|payloadSize|cosignatures|padding|signature|transactionsHash|embedded\[\d+\]\.size|cosignatures\[\d+\]\.(version|signature))|statement|(transactionStatements|addressResolutions|mosaicResolutions)(\[.*)?)$/;

type Base = Pick<TransactionToMake, "type" | "version" | "body">;

const SIGNERS = ["alice", "bob", "carol", "dave"].map(account);
const HIGHEST = 0xffff_ffff_ffff_ffffn;

/** One transaction of every type, as their bodies. */
function allTypes(): Base[] {
  const chain = new TestChain(["alice", "bob"]);
  const mosaic = mosaicDefinition("alice", 4, { flags: "transferable restrictable revokable supply_mutable" });
  const descriptors = [
    transfer("bob", [[CURRENCY, 5n]], "hello"),
    transfer("bob"),
    vrfLink("key", "link"),
    accountLink("remote", "link"),
    votingLink(1, 100),
    hashLock({}),
    secretLock("secret"),
    secretProof("secret"),
    metadata("bob", "value"),
    { ...metadata("bob", "value"), type: "mosaic_metadata_transaction_v1", targetMosaicId: CURRENCY },
    { ...metadata("bob", "value"), type: "namespace_metadata_transaction_v1", targetNamespaceId: 5n },
    mosaic,
    supplyChange(CURRENCY, 7n),
    revocation(CURRENCY),
    {
      type: "multisig_account_modification_transaction_v1",
      minApprovalDelta: 1,
      minRemovalDelta: 1,
      addressAdditions: [Uint8Array.from(account("carol").address)],
      addressDeletions: [Uint8Array.from(account("dave").address)],
    },
    rootNamespace("root"),
    childNamespace("root", "child"),
    addressAlias("root", "bob", "link"),
    addressAlias("root", "bob", "unlink"),
    mosaicAlias("root", CURRENCY, "link"),
    addressRestriction(["address"], ["bob"]),
    mosaicListing(["mosaic_id"], [CURRENCY]),
    operationRestriction(["transaction_type", "outgoing"], ["transfer"]),
    globalRestriction(1n),
    addressValue("bob", 1n),
  ];
  return descriptors.map((descriptor) => {
    const { bytes, entity } = chain.transaction("alice", descriptor);
    return { type: entity.type, version: entity.version, body: bytes.subarray(TRANSACTION.headerSize) };
  });
}

/**
 * Creates blocks of transactions of all types in which anything may be changed: reserved fields, types, versions, network
 * bytes, bodies, sizes, padding, receipts, resolutions, headers. Then everything is hashed and signed again, as by a harvester
 * whose node accepts it. One block in four is changed after that.
 */
export class BlockFuzzer {
  readonly #random: SeededRandom;
  readonly #bases = allTypes();
  #deadline = 3_600_000n;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** The next block of a chain; `isSound` omits what nodes would not accept. */
  block(height: number, previousHash: Buffer, isSound: boolean): FuzzedBlock {
    const made = Array.from({ length: this.#below(4) }, () => this.#transaction());
    const isOddHeader = this.#chance(4);
    const block = makeBlock({
      network: NETWORK,
      harvester: account("harvester"),
      height,
      previousHash,
      currency: CURRENCY,
      transactions: made,
      feeMultiplier: this.#chance(10) ? 0xffff_ffff : this.#below(200),
      hasFigures: this.#chance(10),
      ...(this.#chance(2) && { receipts: this.#receipts(made.length) }),
      ...(this.#chance(2) && { resolutions: this.#resolutions(made.length) }),
      ...(isOddHeader && height > 1 && { change: (header) => this.#changeHeader(header) }),
    });
    this.#paint(block.block);
    if (isSound || !this.#chance(4)) return { ...block, mayBeRejected: undefined };
    return { ...this.#corrupt(block, made), hash: block.hash, mayBeRejected: ANY_CHECK };
  }

  #transaction(): Buffer {
    const [signer, other] = [this.#pick(SIGNERS), this.#pick(SIGNERS)];
    const deadline = ++this.#deadline;
    const maxFee = this.#chance(10) ? HIGHEST : 1_000_000n;
    if (this.#chance(3)) {
      const embedded = Array.from({ length: 1 + this.#below(4) }, () =>
        this.#changed(makeEmbedded({ signer: this.#pick(SIGNERS), ...this.#base() }, NETWORK), EMBEDDED),
      );
      const cosigners = signer === other ? [] : [other];
      const type = this.#pick([0x4141, 0x4241]);
      const version = 1 + this.#below(2);
      const body = aggregateBody(embedded, cosigners.length);
      const bytes = makeTransaction({ signer, type, version, body, deadline, maxFee }, NETWORK);
      this.#paintPadding(bytes, embedded);
      return signAggregate(bytes, signer, cosigners, NETWORK);
    }
    const bytes = makeTransaction({ signer, ...this.#base(), deadline, maxFee }, NETWORK);
    return signTransaction(this.#changed(bytes, VERIFIABLE), signer, NETWORK);
  }

  /** A body, often with other bytes, or of another length. */
  #base(): Base {
    const base = this.#pick(this.#bases);
    const body = Buffer.from(base.body);
    switch (this.#below(6)) {
      case 0:
        return { ...base, body };
      case 1:
        return { ...base, body: body.subarray(0, this.#below(body.length + 1)) };
      case 2:
        return { ...base, body: Buffer.concat([body, this.#bytes(1 + this.#below(40))]) };
      case 3:
        return { ...base, body: this.#bytes(this.#below(120)) };
      default:
        for (let i = this.#below(5); i >= 0 && body.length > 0; i--)
          body[this.#below(body.length)]! ^= 1 + this.#below(255);
        return { ...base, body };
    }
  }

  /** Sometimes a transaction with other bytes in its header: never its size or its signer. */
  #changed(bytes: Buffer, layout: typeof VERIFIABLE | typeof EMBEDDED): Buffer {
    if (this.#chance(4)) bytes.writeUInt32LE(this.#below(2 ** 31), layout.headerReserved);
    if (this.#chance(4)) bytes.writeUInt32LE(this.#below(2 ** 31), layout.bodyReserved);
    if (this.#chance(8)) bytes.writeUInt8(this.#below(256), layout.network);
    const type = this.#chance(8) ? this.#below(2 ** 16) : bytes.readUInt16LE(layout.type);
    // The sizes in an aggregate of a known version have to add up, which those of another type do not.
    if (!isAggregateType(type)) bytes.writeUInt16LE(type, layout.type);
    if (this.#chance(8)) bytes.writeUInt8(this.#below(256), layout.version);
    return bytes;
  }

  #paintPadding(bytes: Buffer, embedded: readonly Buffer[]): void {
    let start: number = AGGREGATE.headerSize;
    for (const { length } of embedded) {
      const padding = paddingSize(length);
      if (this.#chance(3)) bytes.fill(0xaa, start + length, start + length + padding);
      start += length + padding;
    }
    if (this.#chance(3)) bytes.writeUInt32LE(this.#below(2 ** 31), AGGREGATE.reserved);
  }

  /** Other bytes that nothing covers. */
  #paint(block: Buffer): void {
    if (this.#chance(4)) block.writeUInt32LE(this.#below(2 ** 31), VERIFIABLE.headerReserved);
    if (this.#chance(4)) block.writeUInt32LE(this.#below(2 ** 31), VERIFIABLE.bodyReserved);
  }

  /** @returns the size of the header, which the type no longer determines */
  #changeHeader(block: Buffer): number | undefined {
    const hasFigures = block.readUInt16LE(VERIFIABLE.type) === 0x8243;
    if (this.#chance(2)) block.writeUInt16LE(0x8343 + this.#below(100), VERIFIABLE.type);
    if (this.#chance(2)) block.writeUInt8(this.#below(256), VERIFIABLE.version);
    if (this.#chance(3)) block.writeUInt8(this.#below(256), VERIFIABLE.network);
    if (this.#chance(2)) this.#bytes(24).copy(block, BLOCK.stateHash + 32);
    if (this.#chance(3)) this.#bytes(80).copy(block, BLOCK.proofGamma);
    if (hasFigures) this.#bytes(52).copy(block, BLOCK.footer);
    return hasFigures ? BLOCK.importanceHeaderSize : BLOCK.normalHeaderSize;
  }

  #receipts(transactions: number): MadeReceipts[] {
    return Array.from({ length: transactions }, (_, index) => ({
      source: { primaryId: index + 1, secondaryId: 0 },
      receipts: Array.from({ length: 1 + this.#below(3) }, () => this.#receipt()),
    }));
  }

  #receipt(): Buffer {
    const { address } = this.#pick(SIGNERS);
    const amount = id(this.#chance(5) ? HIGHEST : 1n);
    switch (this.#below(5)) {
      case 0:
        return receipt(0x124d, [id(CURRENCY), amount, address, this.#bytes(24)]);
      case 1:
        return receipt(0x2252, [id(CURRENCY), amount, this.#bytes(24)]);
      case 2:
        return receipt(0x414d, [this.#bytes(8)]);
      default:
        return receipt(0x1000 + this.#below(0xe000), [this.#bytes(this.#below(80))]);
    }
  }

  #resolutions(transactions: number): Buffer {
    if (transactions === 0) return addressResolutions([]);
    const alias = this.#bytes(24);
    alias[0]! |= 1;
    const entries = Array.from({ length: 1 + this.#below(transactions) }, (_, index) => {
      return [index + 1, 0, this.#pick(SIGNERS).address] as const;
    });
    return addressResolutions([{ unresolved: alias, entries }]);
  }

  /** Changes signed bytes: any byte, the length, or the sizes in an aggregate. */
  #corrupt({ block, statement, ...rest }: ServedBlock, transactions: readonly Buffer[]): ServedBlock {
    const changed = (bytes: Buffer) => {
      const copy = Buffer.from(bytes);
      copy[this.#below(copy.length)]! ^= 1 + this.#below(255);
      return copy;
    };
    const aggregate = transactions.find((bytes) => isAggregateType(bytes.readUInt16LE(VERIFIABLE.type)));
    if (aggregate && this.#chance(2)) {
      const copy = Buffer.from(block);
      copy.writeUInt32LE(this.#below(aggregate.length + 100), block.indexOf(aggregate) + AGGREGATE.payloadSize);
      return { block: copy, statement, ...rest };
    }
    switch (this.#below(5)) {
      case 0:
        return { block, statement: changed(statement), ...rest };
      case 1:
        return { block: block.subarray(0, this.#below(block.length)), statement, ...rest };
      default:
        return { block: changed(block), statement, ...rest };
    }
  }

  #below(limit: number): number {
    return this.#random.below(limit);
  }

  /** True with probability 1 / n. */
  #chance(times: number): boolean {
    return this.#random.below(times) === 0;
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }

  #bytes(size: number): Buffer {
    return this.#random.bytes(size);
  }
}
