import { bytesOfMapKey, mapKey } from "../trees/state-table.js";
import type { MultisigEntries, MultisigLinks } from "./multisig.js";

/**
 * What a transaction of a multisig account needs: signatures for approval, for removal, or the larger number of them.
 */
export type ApprovalKind = "approval" | "removal" | "both";

/**
 * Accounts may be above and below tens of thousands of others. So what is between an account and the signers is looked
 * for from both ends: upwards from the signers over half of the levels that a network allows, and downwards over the
 * others.
 */
interface Reach {
  readonly upwards: number;
  readonly downwards: number;
}

function computeReach(maxDepth: number): Reach {
  const upwards = maxDepth >>> 1;
  return { upwards, downwards: maxDepth - upwards };
}

/** The accounts that are at most `levels` above these, or one of them, with those of these that they lead to. */
function above(keys: Iterable<string>, levels: number, multisigs: MultisigEntries): Map<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const key of keys) {
    let level = new Set([key]);
    for (let distance = 0; distance <= levels; ++distance) {
      const next = new Set<string>();
      for (const upper of level) {
        const leadsTo = found.get(upper) ?? new Set<string>();
        found.set(upper, leadsTo.add(key));
        if (distance < levels) for (const one of multisigs.findLinks(upper).above) next.add(one);
      }
      level = next;
    }
  }
  return found;
}

/**
 * Whether all signers of an aggregate may sign it: accounts without cosignatories, each of which is one of those that
 * are required, or below one.
 *
 * @param maxDepth levels of multisig accounts that the network allows
 */
export function areEligible(
  signers: readonly Buffer[],
  required: Iterable<Buffer>,
  multisigs: MultisigEntries,
  maxDepth: number,
): boolean {
  const left = new Set(signers.map(mapKey));
  if ([...left].some((signer) => multisigs.findLinks(signer).below.length > 0)) return false;
  const { upwards, downwards } = computeReach(maxDepth);
  const leadingTo = above(left, upwards, multisigs);
  const reach = (key: string) => {
    for (const signer of leadingTo.get(key) ?? []) left.delete(signer);
  };
  let level = new Set(Array.from(required, mapKey));
  for (const key of level) reach(key);
  const visited = new Set(level);
  for (let depth = 1; depth <= downwards && left.size > 0; ++depth) {
    const next = new Set<string>();
    for (const key of level) {
      for (const one of multisigs.findLinks(key).below) {
        reach(one);
        if (depth === downwards || visited.has(one)) continue;
        visited.add(one);
        next.add(one);
      }
    }
    level = next;
  }
  return left.size === 0;
}

/** The signatures under one aggregate, and the accounts that they speak for. */
export class Approvals {
  readonly #signed: ReadonlySet<string>;
  readonly #reach: Reach;
  /** The accounts that lead upwards to a signer: of those that are as far down as is walked, only these may approve. */
  #leading: ReadonlyMap<string, unknown> = new Map();
  /** Results by kind, then by the map key of an account: many transactions of an aggregate ask for the same ones. */
  readonly #results: Readonly<Record<ApprovalKind, Map<string, boolean>>> = {
    approval: new Map(),
    removal: new Map(),
    both: new Map(),
  };
  /** The changes of multisig accounts, as far as the results know of them. */
  #changes: readonly string[] | undefined;
  #seenChanges = 0;

  /**
   * @param signers addresses of the signer and the cosigners
   * @param maxDepth levels of multisig accounts that the network allows
   */
  constructor(signers: readonly Buffer[], maxDepth: number) {
    this.#signed = new Set(signers.map(mapKey));
    this.#reach = computeReach(maxDepth);
  }

  /** Whether an account approves: it has signed, or as many of its cosignatories approve as it requires. */
  isGivenBy(address: Buffer, kind: ApprovalKind, multisigs: MultisigEntries): boolean {
    this.#noteChanges(multisigs);
    return this.#isGivenBy(mapKey(address), kind, multisigs, 0);
  }

  /** How many more cosignatories of an account have to approve; an ordinary account has to sign itself. */
  lackedBy(address: Buffer, kind: ApprovalKind, multisigs: MultisigEntries): number {
    this.#noteChanges(multisigs);
    const key = mapKey(address);
    const links = multisigs.findLinks(key);
    if (links.below.length === 0) return this.#signed.has(key) ? 0 : 1;
    return Math.max(0, approvalsNeeded(links, kind) - this.#countGiven(links, kind, multisigs, 0));
  }

  /** The accounts without cosignatories below `address`, or itself, that have not signed. */
  unsignedLeaves(address: Buffer, multisigs: MultisigEntries): readonly Buffer[] {
    return [...leavesBelow(mapKey(address), multisigs)].filter((leaf) => !this.#signed.has(leaf)).map(bytesOfMapKey);
  }

  /** @param depth levels below the account that is asked for */
  #isGivenBy(key: string, kind: ApprovalKind, multisigs: MultisigEntries, depth: number): boolean {
    if (depth >= this.#reach.downwards && !this.#leading.has(key)) return false;
    const results = this.#results[kind];
    const known = results.get(key);
    if (known !== undefined) return known;
    const links = multisigs.findLinks(key);
    let isGiven = false;
    if (links.below.length === 0) isGiven = this.#signed.has(key);
    else {
      // A loop, which only votes against the rules can confirm, must not be walked for ever.
      results.set(key, false);
      isGiven = this.#countGiven(links, kind, multisigs, depth) >= approvalsNeeded(links, kind);
    }
    results.set(key, isGiven);
    return isGiven;
  }

  #countGiven({ below }: MultisigLinks, kind: ApprovalKind, multisigs: MultisigEntries, depth: number): number {
    let count = 0;
    for (const one of below) if (this.#isGivenBy(one, kind, multisigs, depth + 1)) count += 1;
    return count;
  }

  /** Forgets the results that changes of multisig accounts may have turned. */
  #noteChanges(multisigs: MultisigEntries): void {
    const { changes } = multisigs;
    const isContinued = changes === this.#changes;
    const news = isContinued ? changes.slice(this.#seenChanges) : [];
    this.#changes = changes;
    this.#seenChanges = changes.length;
    if (!isContinued) for (const results of Object.values(this.#results)) results.clear();
    if (!isContinued || news.some((key) => this.#leading.has(key))) {
      this.#leading = above(this.#signed, this.#reach.upwards, multisigs);
    }
    for (const key of news) this.#forget(key, this.#reach.upwards, multisigs);
  }

  /** @param levels so far up, a result may be known that was reached without one about the account in between */
  #forget(key: string, levels: number, multisigs: MultisigEntries): void {
    let wasKnown = false;
    for (const results of Object.values(this.#results)) wasKnown = results.delete(key) || wasKnown;
    if (!wasKnown && levels <= 0) return;
    for (const upper of multisigs.findLinks(key).above) this.#forget(upper, levels - 1, multisigs);
  }
}

/** The accounts whose signatures count for another one: those without cosignatories below it, or itself; map keys. */
export function leavesBelow(key: string, multisigs: MultisigEntries): ReadonlySet<string> {
  const leaves = new Set<string>();
  const visited = new Set<string>();
  const visit = (one: string) => {
    if (visited.has(one)) return;
    visited.add(one);
    const { below } = multisigs.findLinks(one);
    if (below.length === 0) leaves.add(one);
    for (const lower of below) visit(lower);
  };
  visit(key);
  return leaves;
}

function approvalsNeeded({ minApproval, minRemoval }: MultisigLinks, kind: ApprovalKind): number {
  if (kind === "both") return Math.max(minRemoval, minApproval);
  return kind === "removal" ? minRemoval : minApproval;
}
