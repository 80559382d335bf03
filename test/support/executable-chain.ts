import { generateVrfProof } from "../../catapult/crypto/vrf.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { sha3 } from "../../catapult/entity/hashes.js";
import { assembleBlock } from "../../devnet/chain/block-assembly.js";
import { readBlockPosition } from "../../devnet/chain/block-layout.js";
import type { StoredBlock } from "../../devnet/chain/chain.js";
import { FinalizationStage, writeFinalizationProof } from "../../devnet/chain/finalization-proof.js";
import { createNemesis } from "../../devnet/chain/nemesis.js";
import { decodeDevnetTransaction } from "../../devnet/chain/transaction.js";
import { type DevnetKeys, deriveDevnetKeys } from "../../devnet/network/keys.js";
import { createNetwork, type DevnetNetwork } from "../../devnet/network/network.js";
import { DEFAULT_RULES } from "../../devnet/network/settings.js";
import type { Signer } from "../../devnet/network/signer.js";
import { computeEpoch, epochEnd } from "../../ledger/config/finalization-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { nextDifficulty } from "../../ledger/header/difficulty.js";
import { HeaderWindow } from "../../ledger/header/header-window.js";
import { computeImportanceHeight } from "../../ledger/tables/importance.js";
import type { ServedBlock } from "./branch-node.js";
import {
  generateAggregate,
  generateTransfer,
  ownedParts,
  type TransferFields,
  transferPart,
} from "./generated-transactions.js";
import { quickSigner } from "./quick-signer.js";
import { SeededRandom } from "./seeded-random.js";

/** Shape of an executable chain. The same options give the same bytes. */
export interface ExecutableOptions {
  readonly blocks: number;
  readonly seed: number;
  /** Maximum number of transactions per block; each draws from 0 to this. Default 5: 2.5 on average, as on the main network. */
  readonly transactionsPerBlock?: number;
  /** Accounts that have funds, and an importance; low numbers are drawn more often. Default 1,000. */
  readonly accounts?: number;
  /** The first of them that have a mosaic, a namespace and an entry of metadata each. Default 0. */
  readonly owners?: number;
  /** Blocks of an epoch of finalization; default 1,440, as on the main network. */
  readonly votingSetGrouping?: number;
  /** Blocks at the end that are not final; default 10. */
  readonly open?: number;
}

/** A block of a generated chain, and its hash. */
export interface GeneratedBlock extends ServedBlock {
  readonly height: number;
  readonly hash: Buffer;
  readonly subCacheMerkleRoots: Buffer;
}

/** A block of such a chain; `proof` ends its epoch, or is the last one. */
export interface ExecutableBlock extends GeneratedBlock {
  readonly proof: { readonly epoch: number; readonly bytes: Buffer } | undefined;
}

const IMPORTANCE_GROUPING = 720;
const HEADERS_KEPT = 2 * IMPORTANCE_GROUPING;
const BLOCK_MS = 30_000;
const FEE_MULTIPLIER = 100;
const FUNDS = 20_000_000_000n;
const FUNDED_PER_BLOCK = 100;
const HOUR = 3_600_000;
/** Proofs are slow to create: final blocks share these, which are not verified. */
const SHARED_PROOFS = 64;

/** The network of the chains of a seed. */
export function executableNetwork({
  seed,
  votingSetGrouping = 1_440,
}: Pick<ExecutableOptions, "seed" | "votingSetGrouping">): {
  readonly network: DevnetNetwork;
  readonly keys: DevnetKeys;
} {
  const keys = deriveDevnetKeys(`executable chain ${seed}`);
  const rules = {
    ...DEFAULT_RULES,
    votingSetGrouping,
    importanceGrouping: Math.min(IMPORTANCE_GROUPING, votingSetGrouping),
    uniqueAggregateTransactionHash: undefined,
  };
  return { network: createNetwork(keys, rules), keys };
}

/**
 * A chain of any length that a state engine has executed: its headers have the hashes of its receipts and of its state. All
 * blocks but the last are final by the votes of the network's one voter. Accounts are funded in the first blocks.
 */
export function* generateExecutableChain(options: ExecutableOptions): Generator<ExecutableBlock> {
  const generator = new ExecutableChain(options);
  for (let height = 1; height <= options.blocks; height++) yield generator.next();
}

/** Generates such a chain block by block. */
class ExecutableChain {
  readonly #options: ExecutableOptions;
  readonly #network: DevnetNetwork;
  readonly #keys: DevnetKeys;
  readonly #harvester: Signer;
  readonly #accounts: Signer[] = [];
  readonly #addresses: Buffer[] = [];
  readonly #proofs: Buffer[] = [];
  readonly #finalHeight: number;
  readonly #state: ChainState;
  readonly #random: SeededRandom;
  readonly #headers = new HeaderWindow();
  #owned = 0;

  constructor(options: ExecutableOptions) {
    const { seed, blocks, open = 10 } = options;
    const { network, keys } = executableNetwork(options);
    this.#options = options;
    this.#network = network;
    this.#keys = keys;
    this.#harvester = quickSigner(keys.remote.privateKey);
    this.#state = new ChainState(network.config);
    this.#random = new SeededRandom(seed);
    this.#finalHeight = Math.max(1, blocks - open);
  }

  next(): ExecutableBlock {
    const height = this.#state.height + 1;
    const stored = height === 1 ? createNemesis(this.#network, this.#keys, this.#state) : this.#block(height);
    const { timestamp, difficulty } = readBlockPosition(stored.block);
    const { hash, generationHash, block, statement } = stored;
    this.#headers.push({ height, hash, generationHash, timestamp, difficulty });
    this.#headers.forgetBelow(height - HEADERS_KEPT);
    this.#state.finalize(height, timestamp);
    return {
      height,
      hash,
      block,
      statement,
      subCacheMerkleRoots: Buffer.concat(this.#state.subCacheMerkleRoots()),
      proof: this.#proof(height, hash),
    };
  }

  #block(height: number): StoredBlock {
    const { rules } = this.#network;
    const { config } = this.#state;
    const parent = this.#headers.head!;
    const timestamp = height * BLOCK_MS;
    const transactions = this.#transactions(height, timestamp).map((bytes) =>
      decodeDevnetTransaction(bytes, this.#network.identity),
    );
    return assembleBlock(
      {
        height,
        timestamp,
        difficulty: nextDifficulty(this.#headers.last(rules.maxDifficultyBlocks), rules),
        previousBlockHash: parent.hash,
        previousGenerationHash: parent.generationHash,
        previousImportanceBlockHash: this.#headers.at(computeImportanceHeight(height, config.importanceGrouping))!.hash,
        feeMultiplier: FEE_MULTIPLIER,
        transactions,
        signer: this.#harvester,
        vrf: this.#keys.vrf,
        ...(height <= this.#finalHeight && { generationHashProof: this.#sharedProof(height % SHARED_PROOFS) }),
        beneficiaryAddress: this.#addresses[this.#account()]!,
      },
      rules,
      this.#state,
    );
  }

  #sharedProof(index: number): Buffer {
    this.#proofs[index] ??= proofOf(`proof ${this.#options.seed} ${index}`, this.#keys.vrf);
    return this.#proofs[index];
  }

  #transactions(height: number, timestamp: number): Buffer[] {
    const common = { maxFee: 1_000_000n, deadline: timestamp + HOUR };
    const { identity } = this.#network;
    const funded = this.#addAccounts(this.#accountsAt(height));
    const [first] = this.#keys.users;
    const funding = funded.map((recipient) =>
      generateTransfer(
        {
          ...common,
          ...this.#transferTo(recipient, FUNDS),
          signer: first!.signer,
          message: bytesOf(`funds ${height}`),
        },
        identity,
      ),
    );
    if (funding.length > 1) return funding;
    const owned = this.#owned < (this.#options.owners ?? 0) ? [this.#nextOwned(common)] : [];
    const count = this.#random.below((this.#options.transactionsPerBlock ?? 5) + 1);
    const others = Array.from({ length: count }, (_, index) =>
      this.#transaction(common, bytesOf(`${height} ${index}`).subarray(0, 8)),
    );
    return [...funding, ...owned, ...others];
  }

  /** What the next owner gets, in an aggregate of its own. */
  #nextOwned(common: { readonly maxFee: bigint; readonly deadline: number }): Buffer {
    const number = this.#owned++;
    const signer = this.#accounts[number]!;
    const parts = ownedParts(signer, this.#addresses[number]!, number);
    return generateAggregate({ ...common, signer, cosigners: [], parts }, this.#network.identity);
  }

  /** Number of accounts with funds after block `height`. */
  #accountsAt(height: number): number {
    return Math.min(FUNDED_PER_BLOCK * (height - 1), this.#options.accounts ?? 1_000);
  }

  /** Adds accounts until there are `count`; returns the addresses of the new ones. */
  #addAccounts(count: number): Buffer[] {
    const existing = this.#accounts.length;
    for (let index = existing; index < count; index++) {
      const { signer, address } = executableAccount(this.#options.seed, index);
      this.#accounts.push(signer);
      this.#addresses.push(address);
    }
    return this.#addresses.slice(existing);
  }

  /** A transfer, or one time in eight an aggregate of two or three. */
  #transaction(common: { readonly maxFee: bigint; readonly deadline: number }, nonce: Buffer): Buffer {
    const { identity } = this.#network;
    const first = this.#transfer(nonce);
    if (this.#random.below(8) > 0) return generateTransfer({ ...first, ...common }, identity);
    const others = Array.from({ length: 1 + this.#random.below(2) }, () => this.#transfer(nonce));
    const cosigners = [...new Set(others.map(({ signer }) => signer))].filter((signer) => signer !== first.signer);
    const parts = [first, ...others].map(transferPart);
    return generateAggregate({ ...common, signer: first.signer, cosigners, parts }, identity);
  }

  #transfer(nonce: Buffer): TransferFields {
    const padding = Buffer.alloc(this.#random.below(32), 0x61);
    const amount = BigInt(1 + this.#random.below(1_000_000));
    const signer = this.#accounts[this.#account()]!;
    const recipient = this.#addresses[this.#account()]!;
    return { ...this.#transferTo(recipient, amount), signer, message: Buffer.concat([Buffer.of(0), nonce, padding]) };
  }

  #transferTo(recipient: Buffer, amount: bigint): Pick<TransferFields, "recipient" | "mosaics"> {
    return { recipient, mosaics: [{ id: this.#network.currencyMosaicId, amount }] };
  }

  #proof(height: number, hash: Buffer): ExecutableBlock["proof"] {
    const { votingSetGrouping } = this.#state.config;
    const epoch = computeEpoch(height, votingSetGrouping);
    const isLast = height === epochEnd(epoch, votingSetGrouping) || height === this.#finalHeight;
    if (!isLast || epoch === 1 || height > this.#finalHeight) return undefined;
    const votes = { height, hashes: [hash], voters: [this.#keys] };
    const stages = [
      { stage: FinalizationStage.precommit, ...votes },
      { stage: FinalizationStage.prevote, ...votes },
    ];
    return { epoch, bytes: writeFinalizationProof({ epoch, point: 1, height, hash }, stages) };
  }

  #account(): number {
    const count = this.#accounts.length;
    return Math.min(this.#random.below(count), this.#random.below(count));
  }
}

/** The n-th account with funds of the chains of a seed, from 0: the first one has the most transactions. */
export function executableAccount(seed: number, n: number): { readonly signer: Signer; readonly address: Buffer } {
  const signer = quickSigner(bytesOf(`account ${seed} ${n}`));
  return { signer, address: addressOfPublicKey(signer.publicKey, DEFAULT_RULES.networkIdentifier) };
}

function proofOf(input: string, { privateKey }: Signer): Buffer {
  const { gamma, verificationHash, scalar } = generateVrfProof(bytesOf(input), privateKey);
  return Buffer.concat([gamma, verificationHash, scalar]);
}

function bytesOf(name: string): Buffer {
  return sha3(Buffer.from(`executable chain ${name}`));
}
