import type { MultisigState } from "../../catapult/state/multisig.js";
import { bytesOfMapKey, mapKey } from "../trees/state-table.js";
import type { MultisigEntries } from "./multisig.js";

/** What a transaction of a multisig account needs: signatures for approval, for removal, or the larger number of them. */
export type ApprovalKind = "approval" | "removal" | "both";

/** The signatures under one aggregate, and the accounts that they speak for. */
export class Approvals {
  readonly #signed: ReadonlySet<string>;
  /** Verdicts by kind, then by the map key of an account: many transactions of an aggregate ask for the same ones. */
  #verdicts = new Map<ApprovalKind, Map<string, boolean>>();
  /** Of the multisig accounts on which the verdicts are based. */
  #revision = -1;

  /** @param signers addresses of the signer and the cosigners */
  constructor(signers: readonly Buffer[]) {
    this.#signed = new Set(signers.map(mapKey));
  }

  /** Whether an account approves: it has signed, or as many of its cosignatories approve as it requires. */
  isGivenBy(address: Buffer, kind: ApprovalKind, multisigs: MultisigEntries): boolean {
    return this.#isGivenBy(mapKey(address), kind, multisigs);
  }

  /** How many more cosignatories of an account have to approve; an ordinary account has to sign itself. */
  lackedBy(address: Buffer, kind: ApprovalKind, multisigs: MultisigEntries): number {
    const entry = multisigs.get(address);
    if (!entry?.cosignatoryAddresses.length) return this.#signed.has(mapKey(address)) ? 0 : 1;
    return Math.max(0, approvalsNeeded(entry, kind) - this.#countGiven(entry, kind, multisigs));
  }

  /** The accounts without cosignatories below `address`, or itself, that have not signed. */
  unsignedLeaves(address: Buffer, multisigs: MultisigEntries): readonly Buffer[] {
    const { leaves } = new MultisigLeaves(multisigs).add(address);
    return [...leaves].filter((leaf) => !this.#signed.has(leaf)).map(bytesOfMapKey);
  }

  #isGivenBy(key: string, kind: ApprovalKind, multisigs: MultisigEntries): boolean {
    const verdicts = this.#verdictsOf(kind, multisigs);
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    const entry = multisigs.getByKey(key);
    let isGiven = false;
    if (!entry?.cosignatoryAddresses.length) isGiven = this.#signed.has(key);
    else {
      // A loop, which only votes against the rules can confirm, must not be walked for ever.
      verdicts.set(key, false);
      isGiven = this.#countGiven(entry, kind, multisigs) >= approvalsNeeded(entry, kind);
    }
    verdicts.set(key, isGiven);
    return isGiven;
  }

  #countGiven({ cosignatoryAddresses }: MultisigState, kind: ApprovalKind, multisigs: MultisigEntries): number {
    return cosignatoryAddresses.filter((one) => this.#isGivenBy(mapKey(one), kind, multisigs)).length;
  }

  #verdictsOf(kind: ApprovalKind, { revision }: MultisigEntries): Map<string, boolean> {
    if (this.#revision !== revision) {
      this.#revision = revision;
      this.#verdicts = new Map();
    }
    const verdicts = this.#verdicts.get(kind) ?? new Map<string, boolean>();
    this.#verdicts.set(kind, verdicts);
    return verdicts;
  }
}

/** The accounts whose signatures count for others: those without cosignatories, below them or themselves. */
export class MultisigLeaves {
  readonly #multisigs: MultisigEntries;
  readonly #visited = new Set<string>();
  readonly #leaves = new Set<string>();

  constructor(multisigs: MultisigEntries) {
    this.#multisigs = multisigs;
  }

  /** Map keys of the addresses that were found. */
  get leaves(): ReadonlySet<string> {
    return this.#leaves;
  }

  /** Adds the leaves below an account, or itself. */
  add(address: Buffer): this {
    const key = mapKey(address);
    if (this.#visited.has(key)) return this;
    this.#visited.add(key);
    const cosignatories = this.#multisigs.getByKey(key)?.cosignatoryAddresses ?? [];
    if (!cosignatories.length) this.#leaves.add(key);
    for (const cosignatory of cosignatories) this.add(cosignatory);
    return this;
  }
}

function approvalsNeeded({ minApproval, minRemoval }: MultisigState, kind: ApprovalKind): number {
  if (kind === "both") return Math.max(minRemoval, minApproval);
  return kind === "removal" ? minRemoval : minApproval;
}
