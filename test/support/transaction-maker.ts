import { Hash256, PrivateKey } from "symbol-sdk";
import { KeyPair, models, Network, SymbolFacade } from "symbol-sdk/symbol";
import { transactionHash } from "../../catapult/entity/hashes.js";
import type { Devnet } from "../../devnet/devnet.js";

/** A signer. Keys are 32 bytes, the address 24. */
export interface Party {
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
  readonly address: Buffer;
}

/** A transaction in the form that `symbol-sdk`'s factory takes, without signer, fee and deadline. */
export type Descriptor = Readonly<Record<string, unknown>> & { readonly type: string };

/** Deviations of a transaction from the defaults. */
export interface MakeOptions {
  /** Seconds from now; default two hours. */
  readonly deadlineSeconds?: number;
  /** Atomic units offered per byte; default 100. */
  readonly feeMultiplier?: number;
  /** Number of cosignatures (96 bytes and a version each) included in the fee although they are added later. */
  readonly cosignaturesToCome?: number;
  /** Changes the transaction before it is signed. */
  readonly change?: (entity: models.Transaction) => void;
  /** Bytes that are changed afterwards, which invalidates the signature. */
  readonly tamper?: (payload: Buffer) => void;
}

/** A part of an aggregate; the first signer signs the aggregate itself. */
export interface AggregateContent {
  readonly embedded: readonly models.EmbeddedTransaction[];
  readonly signer: Party;
  readonly cosigners?: readonly Party[];
  readonly isBonded?: boolean;
  readonly version?: 1 | 2 | 3;
  /** Overrides the right hash over the embedded transactions, 32 bytes. */
  readonly transactionsHash?: Buffer;
}

const COSIGNATURE_SIZE = 104;
const DEFAULT_DEADLINE_SECONDS = 7200;
const DEFAULT_FEE_MULTIPLIER = 100;
/** Of all transactions that this process has made: another deadline makes another transaction of the same content. */
const deadlines = new Set<bigint>();

/** A facade of symbol-sdk 3 for the devnet's network. */
export function devnetFacade({ network, rules }: Pick<Devnet, "network" | "rules">): SymbolFacade {
  const seed = new Hash256(new Uint8Array(network.generationHashSeed));
  return new SymbolFacade(new Network("devnet", network.identifier, new Date(rules.epochAdjustment * 1000), seed));
}

/** Creates signed transactions for a devnet with `symbol-sdk` 3, no two alike. */
export class TransactionMaker {
  readonly #devnet: Pick<Devnet, "network" | "rules">;
  readonly #facade: SymbolFacade;
  readonly #clock: () => number;

  /** @param clock the time in Unix milliseconds */
  constructor(devnet: Pick<Devnet, "network" | "rules">, clock: () => number = Date.now) {
    this.#devnet = devnet;
    this.#clock = clock;
    this.#facade = devnetFacade(devnet);
  }

  /** The hash of a transaction, 32 bytes. */
  hashOf(payload: Buffer): Buffer {
    return transactionHash(payload, this.#devnet.network);
  }

  /** A signed transaction as bytes. */
  transaction(signer: Party, descriptor: Descriptor, options: MakeOptions = {}): Buffer {
    return this.#serialize(this.#create(signer, descriptor, options), options);
  }

  /** A part of an aggregate. */
  embedded(signer: Party, descriptor: Descriptor): models.EmbeddedTransaction {
    const signerPublicKey = signer.publicKey.toString("hex");
    return this.#facade.transactionFactory.createEmbedded({ signerPublicKey, ...descriptor }, true);
  }

  /** A signed and cosigned aggregate as bytes: by default complete, of version 3. */
  aggregate(content: AggregateContent, options: MakeOptions = {}): Buffer {
    const { embedded, signer, cosigners = [], isBonded = false, version = 3 } = content;
    const hash = content.transactionsHash ?? SymbolFacade.hashEmbeddedTransactions([...embedded]).bytes;
    const descriptor = {
      type: `aggregate_${isBonded ? "bonded" : "complete"}_transaction_v${version}`,
      transactionsHash: new Uint8Array(hash),
      transactions: [...embedded],
    };
    const cosignaturesToCome = options.cosignaturesToCome ?? cosigners.length;
    const aggregate = this.#create(signer, descriptor, {
      ...options,
      cosignaturesToCome,
    }) as models.AggregateCompleteTransactionV3;
    for (const cosigner of cosigners) {
      const cosignature = this.#facade.cosignTransaction(keyPairOf(cosigner), aggregate, false);
      aggregate.cosignatures.push(cosignature as models.Cosignature);
    }
    return this.#serialize(aggregate, options);
  }

  /** A detached cosignature, 136 bytes. */
  cosignature(cosigner: Party, aggregateHash: Buffer): Buffer {
    const hash = new Hash256(new Uint8Array(aggregateHash));
    return Buffer.from(SymbolFacade.cosignTransactionHash(keyPairOf(cosigner), hash, true).serialize());
  }

  #create(signer: Party, descriptor: Descriptor, options: MakeOptions): models.Transaction {
    const { deadlineSeconds = DEFAULT_DEADLINE_SECONDS, feeMultiplier = DEFAULT_FEE_MULTIPLIER } = options;
    const now = this.#clock() - this.#devnet.rules.epochAdjustment * 1000;
    let deadline = BigInt(now + deadlineSeconds * 1000);
    while (deadlines.has(deadline)) deadline += 1n;
    deadlines.add(deadline);
    const entity = this.#facade.transactionFactory.create(
      {
        signerPublicKey: signer.publicKey.toString("hex"),
        deadline,
        ...descriptor,
      },
      true,
    ) as models.Transaction;
    const size = entity.size + COSIGNATURE_SIZE * (options.cosignaturesToCome ?? 0);
    entity.fee = new models.Amount(BigInt(size * feeMultiplier));
    options.change?.(entity);
    entity.signature = new models.Signature(this.#facade.signTransaction(keyPairOf(signer), entity).bytes);
    return entity;
  }

  #serialize(entity: models.Transaction, { tamper }: MakeOptions): Buffer {
    const payload = Buffer.from(entity.serialize());
    tamper?.(payload);
    return payload;
  }
}

function keyPairOf({ privateKey }: Party): KeyPair {
  return new KeyPair(new PrivateKey(new Uint8Array(privateKey)));
}
