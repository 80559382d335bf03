import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { transactionStatementHash } from "../../catapult/entity/statement.js";
import { encodeEntityId, formatEntityId } from "../../catapult/json/entity-id.js";
import { idKey } from "../../database/lists/collections.js";
import { SeededRandom } from "./seeded-random.js";
import { encodeReceipt } from "./synthetic-bytes.js";
import type {
  SyntheticBlockRow,
  SyntheticMosaicRow,
  SyntheticReceiptRow,
  SyntheticResolutionRow,
  SyntheticStatementRow,
  SyntheticTransactionRow,
} from "./synthetic-rows.js";
import { hex, renderReceipt, renderStatement, resolution, sha3, timestampOf } from "./synthetic-statement.js";

/** Shape of a synthetic chain. The same options give the same chain. */
export interface SyntheticOptions {
  readonly blocks: number;
  /** Maximum number of transactions per block; each block draws from 0 to this. Default 4. */
  readonly transactionsPerBlock?: number;
  /** Accounts; low numbers are drawn more often. Default 8. */
  readonly accounts?: number;
  readonly seed: number;
}

export interface SyntheticTransaction {
  readonly row: SyntheticTransactionRow;
  /** All concerned addresses. */
  readonly addresses: readonly Buffer[];
  /** Its mosaics, each once. */
  readonly mosaics: readonly SyntheticMosaicRow[];
}

export interface SyntheticStatement {
  readonly row: SyntheticStatementRow;
  readonly receipts: readonly SyntheticReceiptRow[];
}

export interface SyntheticBlock {
  readonly row: SyntheticBlockRow;
  /** Top-level and embedded ones, in the order of their ids. */
  readonly transactions: readonly SyntheticTransaction[];
  readonly statements: readonly SyntheticStatement[];
  readonly addressResolutions: readonly SyntheticResolutionRow[];
  readonly mosaicResolutions: readonly SyntheticResolutionRow[];
}

export interface SyntheticAccount {
  readonly publicKey: Buffer;
  readonly address: Buffer;
}

export const SYNTHETIC_NETWORK = 152;
/** Generation hash seed of the network of synthetic chains. */
export const SYNTHETIC_SEED = Buffer.alloc(32, 7);
export const transferType = 16724;
export const aggregateType = 16705;
export const supplyChangeType = 16973;
export const harvestReceiptType = 8515;
export const rentalReceiptType = 4942;
export const expiryReceiptType = 16718;

const BLOCK_HEADER_SIZE = 376;
/** With one cosignature, without embedded transactions. */
const AGGREGATE_SIZE = 168 + 104;
const FEE_MULTIPLIER = 100;
/** Members of the body of the first block only. */
const NEMESIS_FOOTER = {
  votingEligibleAccountsCount: 3,
  harvestingEligibleAccountsCount: "5",
  totalVotingBalance: "1000000",
  previousImportanceBlockHash: "00".repeat(32),
};
/** Score of each block, so large that the sum has more than 64 bits. */
const BLOCK_SCORE = 2n ** 64n + 12_345n;
const MOSAICS: readonly bigint[] = [0x72c0212e67a08bcen, 0x05f15a22d3ccee00n, 0xe74b99ba41f4afeen];

/** The score of the chain up to a height. */
export function syntheticScore(height: number): bigint {
  return BigInt(height) * BLOCK_SCORE;
}

/** The accounts of a chain with this seed, the busiest first. */
export function syntheticAccounts(seed: number, count = 8): readonly SyntheticAccount[] {
  return Array.from({ length: count }, (_, index) => {
    const publicKey = sha3(`account ${seed} ${index}`);
    return { publicKey, address: addressOfPublicKey(publicKey, SYNTHETIC_NETWORK) };
  });
}

/** Ids of the mosaics of synthetic chains, the busiest first. */
export const syntheticMosaics = MOSAICS;

/** Generates a chain block by block: rows as the indexer would write them, with REST bodies. */
export function* syntheticBlocks(options: SyntheticOptions): Generator<SyntheticBlock> {
  const maker = new ChainMaker(options);
  for (let height = 1; height <= options.blocks; height += 1) yield maker.block(height);
}

class ChainMaker {
  readonly #random: SeededRandom;
  readonly #accounts: readonly SyntheticAccount[];
  readonly #transactionsPerBlock: number;
  readonly #seed: number;
  #previousHash = Buffer.alloc(32);

  constructor({ seed, accounts, transactionsPerBlock = 4 }: SyntheticOptions) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#accounts = syntheticAccounts(seed, accounts);
    this.#transactionsPerBlock = transactionsPerBlock;
  }

  block(height: number): SyntheticBlock {
    const hash = sha3(`block ${this.#seed} ${height}`);
    const signer = this.#account();
    const beneficiary = this.#account();
    const count = this.#random.below(this.#transactionsPerBlock + 1);
    const transactions = Array.from({ length: count }, (_, index) => this.#transaction(height, index)).flat();
    const statements = this.#statements(height, signer, count);
    const addressResolutions = this.#random.below(3) === 0 ? [this.#addressResolution(height)] : [];
    const mosaicResolutions = this.#random.below(3) === 0 ? [this.#mosaicResolution(height)] : [];
    const top = transactions.filter(({ row }) => !row.embedded);
    const leaves = top.map(({ row }) => row.merkle_component_hash as Buffer);
    const statementRows = [...statements.map(({ row }) => row), ...addressResolutions, ...mosaicResolutions];
    const totalFee = top.reduce((sum, { row }) => sum + (row.fee ?? 0), 0);
    const size = BLOCK_HEADER_SIZE + top.reduce((sum, { row }) => sum + row.size, 0);
    const id = encodeEntityId(height);
    const generationHash = sha3("generation", hash);
    const previousBlockHash = hex(this.#previousHash);
    this.#previousHash = hash;
    const row = {
      id,
      height,
      hash,
      generation_hash: generationHash,
      type: height === 1 ? 32835 : 33091,
      timestamp: timestampOf(height),
      difficulty: 100_000_000_000_000n,
      score: syntheticScore(height),
      fee_multiplier: FEE_MULTIPLIER,
      total_fee: totalFee,
      signer_public_key: signer.publicKey,
      signer_address: signer.address,
      beneficiary_address: beneficiary.address,
      harvester_address: signer.address,
      transactions_count: top.length,
      total_transactions_count: transactions.length,
      statements_count: statementRows.length,
      size,
    };
    const document = {
      id: formatEntityId(id),
      meta: {
        hash: hex(hash),
        generationHash: hex(generationHash),
        totalFee: String(totalFee),
        totalTransactionsCount: transactions.length,
        stateHashSubCacheMerkleRoots: [],
        transactionsCount: top.length,
        statementsCount: statementRows.length,
      },
      block: {
        size,
        signature: hex(Buffer.concat([hash, hash])),
        signerPublicKey: hex(signer.publicKey),
        version: 1,
        network: SYNTHETIC_NETWORK,
        type: row.type,
        height: String(height),
        timestamp: String(row.timestamp),
        difficulty: String(row.difficulty),
        proofGamma: hex(sha3("gamma", hash)),
        proofVerificationHash: hex(sha3("verification", hash).subarray(0, 16)),
        proofScalar: hex(sha3("scalar", hash)),
        previousBlockHash,
        transactionsHash: hex(merkleRoot(leaves)),
        receiptsHash: hex(merkleRoot(statementRows.map((statement) => statement.hash))),
        stateHash: hex(sha3("state", hash)),
        beneficiaryAddress: hex(beneficiary.address),
        feeMultiplier: FEE_MULTIPLIER,
        ...(height === 1 && NEMESIS_FOOTER),
      },
    };
    return {
      row: { ...row, document: JSON.stringify(document) },
      transactions,
      statements,
      addressResolutions,
      mosaicResolutions,
    };
  }

  /** A transfer, a supply change, or an aggregate with its embedded transactions. */
  #transaction(height: number, index: number): SyntheticTransaction[] {
    const kind = this.#random.below(4);
    if (kind === 0) return this.#aggregate(height, index);
    return [kind === 1 ? this.#supplyChange(height, index) : this.#transfer(height, index)];
  }

  #transfer(height: number, index: number, aggregate?: { hash: Buffer; embeddedIndex: number }): SyntheticTransaction {
    const signer = this.#account();
    const recipient = this.#account();
    const carried = MOSAICS.slice(0, this.#random.below(MOSAICS.length + 1)).sort((a, b) => (a < b ? -1 : 1));
    const mosaics = carried.map((id) => ({ id, amount: 1 + this.#random.below(1_000_000) }));
    const body = {
      recipientAddress: hex(recipient.address),
      mosaics: mosaics.map(({ id, amount }) => ({ id: hex(idKey(id)), amount: String(amount) })),
    };
    const made = this.#rendered({
      height,
      index,
      type: transferType,
      signer,
      body,
      aggregate,
      size: (aggregate ? 80 : 160) + 16 * mosaics.length,
    });
    const { id, embedded } = made;
    return {
      row: { ...made, recipient_address: recipient.address },
      addresses: unique([signer.address, recipient.address]),
      mosaics: mosaics.map((mosaic) => ({ mosaic_id: idKey(mosaic.id), id, embedded, amount: mosaic.amount })),
    };
  }

  #supplyChange(height: number, index: number): SyntheticTransaction {
    const signer = this.#account();
    const body = { mosaicId: hex(idKey(MOSAICS[0] as bigint)), action: 1, delta: "1000" };
    const row = this.#rendered({ height, index, type: supplyChangeType, signer, body, size: 145 });
    return { row, addresses: [signer.address], mosaics: [] };
  }

  #aggregate(height: number, index: number): SyntheticTransaction[] {
    const signer = this.#account();
    const hash = this.#transactionHash(height, index);
    const inside = Array.from({ length: 1 + this.#random.below(3) }, (_, place) =>
      this.#transfer(height, index, { hash, embeddedIndex: place + 1 }),
    );
    const cosigner = this.#account();
    const body = {
      transactionsHash: hex(sha3("embedded", hash)),
      cosignatures: [
        { version: "0", signerPublicKey: hex(cosigner.publicKey), signature: hex(Buffer.concat([hash, hash])) },
      ],
    };
    const size = AGGREGATE_SIZE + inside.reduce((sum, { row }) => sum + row.size, 0);
    const row = this.#rendered({
      height,
      index,
      type: aggregateType,
      signer,
      body,
      size,
      cosigners: [cosigner.publicKey],
    });
    const addresses = unique([signer.address, cosigner.address, ...inside.flatMap((embedded) => embedded.addresses)]);
    return [{ row, addresses, mosaics: [] }, ...inside];
  }

  #rendered(of: {
    height: number;
    index: number;
    type: number;
    signer: SyntheticAccount;
    body: object;
    size: number;
    aggregate?: { hash: Buffer; embeddedIndex: number } | undefined;
    cosigners?: readonly Buffer[];
  }): SyntheticTransactionRow {
    const { height, index, type, signer, size, aggregate } = of;
    const id = encodeEntityId(height, index, aggregate?.embeddedIndex ?? 0);
    const common = { signerPublicKey: hex(signer.publicKey), version: 1, network: SYNTHETIC_NETWORK, type };
    const block = { timestamp: String(timestampOf(height)), feeMultiplier: FEE_MULTIPLIER };
    const shared = {
      id,
      type,
      version: 1,
      signer_public_key: signer.publicKey,
      signer_address: signer.address,
      recipient_address: null,
      size,
    };
    if (aggregate) {
      const meta = {
        height: String(height),
        aggregateHash: hex(aggregate.hash),
        aggregateId: formatEntityId(encodeEntityId(height, index)),
        index: aggregate.embeddedIndex - 1,
        ...block,
      };
      const document = JSON.stringify({ id: formatEntityId(id), meta, transaction: { ...common, ...of.body } });
      const none = { hash: null, merkle_component_hash: null, max_fee: null, fee: null, deadline: null };
      return { ...shared, ...none, embedded: true, document };
    }
    const hash = this.#transactionHash(height, index);
    const leaf = of.cosigners ? sha3(hash, ...of.cosigners) : hash;
    const fee = size * FEE_MULTIPLIER;
    const deadline = timestampOf(height) + 3_600_000;
    const meta = {
      height: String(height),
      hash: hex(hash),
      merkleComponentHash: hex(leaf),
      index,
      ...block,
    };
    const transaction = {
      size,
      signature: hex(Buffer.concat([hash, hash])),
      ...common,
      maxFee: String(2 * fee),
      deadline: String(deadline),
      ...of.body,
    };
    return {
      ...shared,
      embedded: false,
      hash,
      merkle_component_hash: leaf,
      max_fee: 2 * fee,
      fee,
      deadline,
      document: JSON.stringify({ id: formatEntityId(id), meta, transaction }),
    };
  }

  #statements(height: number, harvester: SyntheticAccount, transactions: number): SyntheticStatement[] {
    const currency = idKey(MOSAICS[0] as bigint);
    const sources: { primaryId: number; receipts: Partial<SyntheticReceiptRow>[] }[] = [
      {
        primaryId: 0,
        receipts: [{ type: harvestReceiptType, target_address: harvester.address, mosaic_id: currency, amount: 1000 }],
      },
    ];
    for (let transaction = 1; transaction <= transactions; transaction += 1) {
      const transfer = () => ({
        type: rentalReceiptType,
        sender_address: this.#account().address,
        recipient_address: this.#account().address,
        mosaic_id: currency,
        amount: 500,
      });
      const expiry = { type: expiryReceiptType, artifact_id: idKey(MOSAICS[this.#random.below(3)] as bigint) };
      const kinds: Partial<SyntheticReceiptRow>[][] = [[], [transfer()], [transfer(), transfer()], [expiry]];
      const receipts = kinds[this.#random.below(kinds.length)] as Partial<SyntheticReceiptRow>[];
      if (receipts.length > 0) sources.push({ primaryId: transaction, receipts });
    }
    return sources.map(({ primaryId, receipts }, place) => {
      const id = encodeEntityId(height, place);
      const statement = {
        height: String(height),
        source: { primaryId, secondaryId: 0 },
        receipts: receipts.map(renderReceipt),
      };
      const row = {
        id,
        primary_id: primaryId,
        secondary_id: 0,
        hash: transactionStatementHash(
          statement.source,
          statement.receipts.map((receipt) => ({ bytes: encodeReceipt(receipt) })),
        ),
        document: renderStatement(id, height, statement),
      };
      const none = {
        sender_address: null,
        recipient_address: null,
        target_address: null,
        mosaic_id: null,
        amount: null,
        artifact_id: null,
      };
      const rows = receipts.map((receipt, index) => ({ ...none, type: 0, ...receipt, statement_id: id, index }));
      return { row, receipts: rows };
    });
  }

  #addressResolution(height: number): SyntheticResolutionRow {
    const unresolved = Buffer.alloc(24);
    unresolved[0] = SYNTHETIC_NETWORK | 1;
    unresolved.writeBigUInt64LE(MOSAICS[2] as bigint, 1);
    return resolution(height, unresolved, this.#account().address);
  }

  #mosaicResolution(height: number): SyntheticResolutionRow {
    return resolution(height, idKey(MOSAICS[2] as bigint), idKey(MOSAICS[0] as bigint));
  }

  #transactionHash(height: number, index: number): Buffer {
    return sha3(`transaction ${this.#seed} ${height} ${index}`);
  }

  /** Low numbers twice as often as their share, so that lists differ in length. */
  #account(): SyntheticAccount {
    const count = this.#accounts.length;
    const index = Math.min(this.#random.below(count), this.#random.below(count));
    return this.#accounts[index] as SyntheticAccount;
  }
}

function unique(addresses: readonly Buffer[]): Buffer[] {
  return [...new Map(addresses.map((address) => [address.toString("hex"), address])).values()];
}
