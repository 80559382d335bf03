import type { models } from "symbol-sdk/symbol";
import type { Devnet } from "../../devnet/devnet.js";
import { type Descriptor, type MakeOptions, type Party, TransactionMaker } from "../support/transaction-maker.js";
import type { ScenarioStep } from "./scenario.js";
import { hashLock } from "./state-descriptors.js";
import { account, transfer } from "./state-test-chain.js";

/** Expected outcome of a step, if not its confirmation. */
type Expected = ScenarioStep["expected"];

/** A single transaction by the name of its signer, and its expected outcome if that is not its confirmation. */
export type Single = readonly [
  name: string,
  signer: string,
  descriptor: Descriptor,
  expected?: Expected,
  options?: MakeOptions,
];

/** A part of an aggregate: the name of its signer, and its transaction. */
export type Part = readonly [signer: string, descriptor: Descriptor];

/** Options of an aggregate. */
export interface AggregateOptions extends MakeOptions {
  /** Names of the cosigners. */
  readonly cosigners?: readonly string[];
  /** The signer of the aggregate itself; by default the signer of the first part. */
  readonly signer?: string;
  readonly version?: 1 | 2 | 3;
  readonly transactionsHash?: Buffer;
}

/** The actors of a scenario, by name, and their transactions. */
export class Cast {
  readonly #maker: TransactionMaker;
  readonly #funder: Party;
  readonly currency: bigint;

  constructor(devnet: Devnet) {
    this.#maker = new TransactionMaker(devnet);
    const [funder] = devnet.accounts;
    if (!funder) throw new Error("the devnet has no funded account");
    this.#funder = funder;
    this.currency = devnet.currencyMosaicId;
  }

  /** The account of a name: `funder` is one of the devnet's, the others begin with nothing. */
  party(name: string): Party {
    return name === "funder" ? this.#funder : account(name);
  }

  /** Those of a list, single transactions among them. */
  steps(list: readonly (ScenarioStep | Single)[]): ScenarioStep[] {
    return list.map((one) => ("name" in one ? one : this.step(...one)));
  }

  /** A single transaction. */
  step(
    name: string,
    signer: string,
    descriptor: Descriptor,
    expected: Expected = "confirmed",
    options: MakeOptions = {},
  ): ScenarioStep {
    const party = this.party(signer);
    return this.#step(name, party, this.#maker.transaction(party, descriptor, options), expected);
  }

  /** A complete aggregate. */
  together(
    name: string,
    parts: readonly Part[],
    options: AggregateOptions = {},
    expected: Expected = "confirmed",
  ): ScenarioStep {
    const { signer, payload } = this.#aggregate(parts, options, false);
    return this.#step(name, signer, payload, expected);
  }

  /** A bonded aggregate whose cosignatures arrive one by one. */
  bonded(
    name: string,
    parts: readonly Part[],
    options: AggregateOptions = {},
    expected: Expected = "confirmed",
  ): ScenarioStep {
    const { cosigners = [] } = options;
    const { signer, payload } = this.#aggregate(parts, options, true);
    const hash = this.#maker.hashOf(payload);
    const cosignatures = cosigners.map((cosigner) => this.#maker.cosignature(this.party(cosigner), hash));
    return { ...this.#step(name, signer, payload, expected), cosignatures };
  }

  /** The lock of a bonded aggregate. */
  lockFor(name: string, { hash }: ScenarioStep, signer: string, duration = 50n): ScenarioStep {
    return this.step(name, signer, this.hashLock(hash, duration));
  }

  /** A transfer to an account of this name, or to an unresolved address. */
  transfer(
    recipient: string | Buffer,
    mosaics: readonly (readonly [mosaicId: bigint, amount: bigint])[] = [[this.currency, 1n]],
    message: string | Uint8Array = "",
  ): Descriptor {
    return transfer(recipient, mosaics, message);
  }

  hashLock(hash: Buffer, duration = 50n, amount = 10_000_000n): Descriptor {
    return { ...hashLock({ mosaicId: this.currency, amount, duration }), hash: new Uint8Array(hash) };
  }

  #aggregate(parts: readonly Part[], options: AggregateOptions, isBonded: boolean): { signer: Party; payload: Buffer } {
    const { cosigners = [], version, transactionsHash, ...makeOptions } = options;
    const signer = this.party(options.signer ?? parts[0]?.[0] ?? "funder");
    const embedded: models.EmbeddedTransaction[] = parts.map(([name, descriptor]) =>
      this.#maker.embedded(this.party(name), descriptor),
    );
    const content = {
      embedded,
      signer,
      isBonded,
      ...(version && { version }),
      ...(transactionsHash && { transactionsHash }),
    };
    const attached = isBonded ? [] : cosigners.map((name) => this.party(name));
    const payload = this.#maker.aggregate(
      { ...content, cosigners: attached },
      { cosignaturesToCome: cosigners.length, ...makeOptions },
    );
    return { signer, payload };
  }

  #step(name: string, signer: Party, payload: Buffer, expected: Expected): ScenarioStep {
    return { name, payload, hash: this.#maker.hashOf(payload), signerAddress: signer.address, expected };
  }
}
