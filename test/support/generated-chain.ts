import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { generateVrfProof } from "../../catapult/crypto/vrf.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { BLOCK_TYPE } from "../../catapult/entity/entity-layout.js";
import { blockHash, sha3, sha3OfMany, transactionHash } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { RECEIPT_TYPE } from "../../catapult/entity/receipt.js";
import { transactionStatementHash } from "../../catapult/entity/statement.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { writeBlock } from "../../devnet/chain/block-layout.js";
import type { Signer } from "../../devnet/network/signer.js";
import type { ServedBlock } from "./branch-node.js";
import { generateAggregate, generateTransfer, type TransferFields } from "./generated-transactions.js";
import { quickSigner } from "./quick-signer.js";
import { SeededRandom } from "./seeded-random.js";

/** Shape of a generated chain. The same options give the same bytes. */
export interface GeneratedOptions {
  readonly blocks: number;
  readonly seed: number;
  /** Maximum number of transactions per block; each draws from 0 to this. Default 5: 2.5 on average, as on the main network. */
  readonly transactionsPerBlock?: number;
  /** Accounts; low numbers are drawn more often. Default 1,000. */
  readonly accounts?: number;
  /** Without signatures it is faster, but verification rejects it. Default true. */
  readonly isSigned?: boolean;
}

/** A block of a generated chain, and its hash. */
export interface GeneratedBlock extends ServedBlock {
  readonly height: number;
  readonly hash: Buffer;
  readonly subCacheMerkleRoots: Buffer;
}

export const GENERATED_NETWORK: NetworkIdentity = { identifier: 152, generationHashSeed: Buffer.alloc(32, 9) };

const CURRENCY = 0x72c0_212e_67a0_8bcen;
const BLOCK_MS = 30_000;
const INFLATION = 100_000_000n;
const FEE_MULTIPLIER = 100;
const DIFFICULTY = 100_000_000_000_000n;
/** Proofs are slow to create, and nothing in the chain depends on which of them a block has. */
const PROOFS = 64;
const INFLATION_TYPE = 0x5143;
const NO_SIGNATURE = Buffer.alloc(64);
/** The kinds of state that its blocks change; there are no entries of others, whose trees are empty. */
const CHANGED_KINDS: readonly StateKind[] = ["account", "mosaic"];
const NO_ROOT = Buffer.alloc(32);
/** Words in messages. */
const VOCABULARY = 20_000;
const DRAWS = 2 ** 24;
const CONSONANTS = "bdfgklmnprstvz";
const VOWELS = "aeiou";
/** Pairs of them: their numbers of letters have no common divisor. */
const SYLLABLES = CONSONANTS.length * VOWELS.length;

/**
 * A chain of any length in the node's own bytes: signed transfers and aggregates, statements and roots that match the
 * headers. It is not executed: roots of accounts and mosaics are invented, and accounts may spend more than they have.
 */
export function* generateChain(options: GeneratedOptions): Generator<GeneratedBlock> {
  const generator = new ChainGenerator(options);
  for (let height = 1; height <= options.blocks; height++) yield generator.block(height);
}

class ChainGenerator {
  readonly #random: SeededRandom;
  /** Its own, so that texts have no influence on anything else. */
  readonly #words: SeededRandom;
  readonly #signers: readonly Signer[];
  readonly #addresses: readonly Buffer[];
  readonly #proofs: readonly Buffer[];
  readonly #transactionsPerBlock: number;
  #previousHash: Buffer = Buffer.alloc(32);

  constructor({ seed, accounts = 1_000, transactionsPerBlock = 5, isSigned = true }: GeneratedOptions) {
    this.#random = new SeededRandom(seed);
    this.#words = new SeededRandom(seed + 1);
    this.#transactionsPerBlock = transactionsPerBlock;
    const signers = Array.from({ length: accounts }, (_, index) => quickSigner(bytesOf(`account ${seed} ${index}`)));
    this.#signers = isSigned ? signers : signers.map((signer) => ({ ...signer, sign: () => NO_SIGNATURE }));
    this.#addresses = signers.map(({ publicKey }) => addressOfPublicKey(publicKey, GENERATED_NETWORK.identifier));
    this.#proofs = Array.from({ length: PROOFS }, (_, index) => {
      const name = `proof ${seed} ${index}`;
      const { gamma, verificationHash, scalar } = generateVrfProof(bytesOf(name), bytesOf(name));
      return Buffer.concat([gamma, verificationHash, scalar]);
    });
  }

  block(height: number): GeneratedBlock {
    const timestamp = height * BLOCK_MS;
    const count = height === 1 ? 0 : this.#random.below(this.#transactionsPerBlock + 1);
    const transactions = Array.from({ length: count }, () => this.#transaction(timestamp));
    const size = transactions.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const harvester = this.#account();
    const beneficiary = this.#account();
    const { statement, receiptsHash } = this.#statement(BigInt(size * FEE_MULTIPLIER), harvester, beneficiary);
    const roots = STATE_KINDS.map((kind) =>
      CHANGED_KINDS.includes(kind) ? bytesOf(`root ${height} ${kind}`) : NO_ROOT,
    );
    const block = writeBlock(
      {
        type: height === 1 ? BLOCK_TYPE.nemesis : BLOCK_TYPE.normal,
        network: GENERATED_NETWORK.identifier,
        height,
        timestamp,
        difficulty: DIFFICULTY,
        generationHashProof: this.#proofs[height % PROOFS] as Buffer,
        previousBlockHash: this.#previousHash,
        transactionsHash: merkleRoot(transactions.map(({ leaf }) => leaf)),
        receiptsHash,
        stateHash: sha3OfMany(roots),
        beneficiaryAddress: this.#addresses[beneficiary] as Buffer,
        feeMultiplier: FEE_MULTIPLIER,
        footer:
          height === 1
            ? {
                votingEligibleAccountsCount: 0,
                harvestingEligibleAccountsCount: 0n,
                totalVotingBalance: 0n,
                previousImportanceBlockHash: Buffer.alloc(32),
              }
            : undefined,
        transactions: transactions.map(({ bytes }) => bytes),
      },
      this.#signers[harvester] as Signer,
    );
    const hash = blockHash(block);
    this.#previousHash = hash;
    return { height, hash, block, statement, subCacheMerkleRoots: Buffer.concat(roots) };
  }

  /** A transfer, or one time in eight an aggregate of two or three. */
  #transaction(timestamp: number): { bytes: Buffer; leaf: Buffer } {
    const common = { maxFee: 1_000_000n, deadline: timestamp + 3_600_000 };
    const first = this.#transfer();
    if (this.#random.below(8) > 0) {
      const bytes = generateTransfer({ ...first, ...common }, GENERATED_NETWORK);
      return { bytes, leaf: transactionHash(bytes, GENERATED_NETWORK) };
    }
    const others = Array.from({ length: 1 + this.#random.below(2) }, () => this.#transfer());
    const cosigners = [...new Set(others.map(({ signer }) => signer))].filter((signer) => signer !== first.signer);
    const transfers = [first, ...others];
    const bytes = generateAggregate({ ...common, signer: first.signer, cosigners, transfers }, GENERATED_NETWORK);
    const keys = cosigners.map(({ publicKey }) => publicKey);
    const hash = transactionHash(bytes, GENERATED_NETWORK);
    return { bytes, leaf: keys.length > 0 ? sha3(hash, ...keys) : hash };
  }

  #transfer(): TransferFields {
    const message = this.#message(this.#random.below(40));
    const amount = BigInt(1 + this.#random.below(1_000_000_000));
    return {
      signer: this.#signers[this.#account()] as Signer,
      recipient: this.#addresses[this.#account()] as Buffer,
      mosaics: [{ id: CURRENCY, amount }],
      message,
    };
  }

  /** A plain text of words, of which some are frequent, cut to a number of bytes. */
  #message(bytes: number): Buffer {
    if (bytes === 0) return Buffer.alloc(0);
    let text = "";
    while (text.length < bytes - 1) {
      // As in languages: a word is as rare as its rank says.
      const rank = Math.floor(VOCABULARY ** (this.#words.below(DRAWS) / DRAWS));
      text += `${text === "" ? "" : " "}${wordOf(rank - 1)}`;
    }
    return Buffer.concat([Buffer.of(0), Buffer.from(text.slice(0, bytes - 1))]);
  }

  /** The harvest's receipts: fees and inflation, three quarters to the harvester, the rest to the beneficiary. */
  #statement(fee: bigint, harvester: number, beneficiary: number): { statement: Buffer; receiptsHash: Buffer } {
    const all = fee + INFLATION;
    const rest = all / 4n;
    const receipts = [
      receipt(RECEIPT_TYPE.harvestFee, all - rest, this.#addresses[harvester]),
      receipt(RECEIPT_TYPE.harvestFee, rest, this.#addresses[beneficiary]),
      receipt(INFLATION_TYPE, INFLATION),
    ];
    const source = { primaryId: 0, secondaryId: 0 };
    const leaf = transactionStatementHash(
      source,
      receipts.map((bytes) => ({ kind: "unknown", version: 1, type: 0, bytes })),
    );
    const counts = Buffer.alloc(16);
    counts.writeUInt32LE(1, 0);
    counts.writeUInt32LE(receipts.length, 12);
    return { statement: Buffer.concat([counts, ...receipts, Buffer.alloc(8)]), receiptsHash: merkleRoot([leaf]) };
  }

  #account(): number {
    const count = this.#signers.length;
    return Math.min(this.#random.below(count), this.#random.below(count));
  }
}

/** A receipt about the currency: of a balance if there is an address, else of inflation. */
function receipt(type: number, amount: bigint, address: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(24 + address.length);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(1, 4);
  bytes.writeUInt16LE(type, 6);
  bytes.writeBigUInt64LE(CURRENCY, 8);
  bytes.writeBigUInt64LE(amount, 16);
  address.copy(bytes, 24);
  return bytes;
}

/** A made-up word of 2 to 8 letters: those with low numbers are short. */
export function wordOf(place: number): string {
  const syllables: string[] = [];
  for (let rest = place + 1; rest > 0; rest = Math.floor(rest / SYLLABLES)) {
    syllables.push((CONSONANTS[rest % CONSONANTS.length] ?? "") + (VOWELS[rest % VOWELS.length] ?? ""));
  }
  return syllables.join("");
}

function bytesOf(name: string): Buffer {
  return sha3(Buffer.from(`generated chain ${name}`));
}
