import type { Logger } from "pino";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { ChainStatistics } from "../../catapult/wire/requests.js";
import type { Db } from "../../database/database.js";
import { findBlockRow, readRawBlocks } from "../../database/queries/blocks.js";
import type { Finalization, Head } from "../../database/queries/head.js";
import type { ProvenLeaf } from "../../ledger/state/unproven-entry.js";
import { differingLeaves, withValues } from "../execution/differing-leaves.js";
import type { LedgerFollower } from "../execution/ledger-follower.js";
import type { RangeLimit } from "../step/range-limit.js";
import { fetchBlocks, type Parent } from "./fetch.js";
import { provenFrom } from "./overrule.js";

export interface StateRepairOptions {
  readonly db: Db;
  readonly node: NodeClient;
  readonly network: NetworkIdentity;
  readonly log: Logger;
  readonly range: RangeLimit;
}

/** What a round may do while the state differs. */
export interface RepairRound {
  /** Blocks up to here may be written. */
  readonly to: number;
  /** Whether the ledger's state is right again: that is to be written before any block. */
  readonly isRepaired: boolean;
}

/** Leaves of the network's state after a block. */
interface FoundLeaves {
  readonly height: number;
  readonly hash: Buffer;
  readonly stateHash: Buffer;
  readonly leaves: readonly ProvenLeaf[];
}

/** A state after the index's head. */
interface Position extends Parent {
  readonly stateHash: Buffer;
}

/** Maximum number of blocks above the index that are executed to compare the state with the node's newest one. */
const MAX_REHEARSED_BLOCKS = 2_000;

/**
 * While our state differs from the network's: follows the blocks that votes prove, and no others, and repairs the state
 * at the node's newest block. The nodes' state paths are those after that block, which is not proven yet. So the blocks
 * up to it are executed without being written, the trees compared there, and the leaves that differ are kept until
 * votes prove this very block, and the index has reached it. Then they are put into our trees, if that gives the state
 * hash of its header.
 */
export class StateRepair {
  readonly #options: StateRepairOptions;
  #found: FoundLeaves | undefined;
  #provenTo = 0;
  /** Of the node's newest block when the trees were last compared. */
  #comparedAt = 0;

  constructor(options: StateRepairOptions) {
    this.#options = options;
  }

  /** @param head where the ledger is. Errors of node and database as they are. */
  async beforeRound(
    ledger: LedgerFollower,
    head: Head,
    { statistics, finalized }: { readonly statistics: ChainStatistics; readonly finalized: Finalization },
  ): Promise<RepairRound> {
    const waiting: RepairRound = { to: head.height, isRepaired: false };
    if (this.#putFound(ledger, head)) return { ...waiting, isRepaired: true };
    if (this.#provenTo <= head.height && finalized.height > head.height) await this.#prove(ledger, head.height + 1);
    if (this.#provenTo > head.height) {
      return { to: Math.min(this.#provenTo, this.#found?.height ?? this.#provenTo), isRepaired: false };
    }
    if (this.#found && (await this.#isOnChain(this.#found))) return waiting;
    this.#found = undefined;
    const isNew = statistics.height !== this.#comparedAt;
    const isNear = statistics.height >= head.height && statistics.height - head.height <= MAX_REHEARSED_BLOCKS;
    if (!isNew || !isNear) return waiting;
    this.#comparedAt = statistics.height;
    this.#found = await ledger.rehearse(() => this.#find(ledger, head, statistics.height), true);
    return { ...waiting, isRepaired: this.#putFound(ledger, head) };
  }

  /** Forgets what it has found out, because the state is right, or another one. */
  reset(): void {
    this.#found = undefined;
    this.#provenTo = 0;
    this.#comparedAt = 0;
  }

  #putFound(ledger: LedgerFollower, head: Head): boolean {
    const found = this.#found;
    if (!found || found.height > head.height) return false;
    this.#found = undefined;
    return found.height === head.height && found.hash.equals(head.hash) && ledger.repair(found.leaves, found.stateHash);
  }

  async #prove(ledger: LedgerFollower, height: number): Promise<void> {
    const hashes = await provenFrom(height, { ...this.#options, ledger });
    if (!hashes) return;
    ledger.provenBlocks.add(hashes);
    this.#provenTo = height + hashes.length - 1;
  }

  async #isOnChain({ height, hash }: FoundLeaves): Promise<boolean> {
    const [theirs] = await this.#options.node.blockHashes(height, 1);
    return theirs?.equals(hash) === true;
  }

  /** Executes the node's blocks up to its newest one, and compares the states. */
  async #find(ledger: LedgerFollower, head: Head, to: number): Promise<FoundLeaves | undefined> {
    const { node, log } = this.#options;
    let last = await this.#positionOf(head);
    while (last.height < to) {
      const blocks = await fetchBlocks(last, { ...this.#options, ledger });
      const newest = blocks.at(-1);
      if (!newest) return undefined;
      const { height, hash, timestamp, entity } = newest;
      last = { height, hash, timestamp, stateHash: Buffer.from(entity.stateHash) };
    }
    const tables = ledger.ledger?.tables;
    if (!tables) return undefined;
    const leaves = await differingLeaves(node, {
      ...last,
      trees: tables.stateTables().map((table) => table.tree()),
      roots: tables.stateTables().map((table) => table.rootHash()),
      keysOf: (kind) => tables.byKind(kind).keys(),
    });
    log.info({ height: last.height, entries: leaves?.length }, "Compared the state with the node's newest one");
    if (!leaves) return undefined;
    return { height: last.height, hash: last.hash, stateHash: last.stateHash, leaves: await withValues(node, leaves) };
  }

  async #positionOf({ height, hash }: Head): Promise<Position> {
    const { db } = this.#options;
    const [raw] = await readRawBlocks(db, height, height);
    const stateHash = raw?.block.subarray(BLOCK.stateHash, BLOCK.stateHash + 32) ?? Buffer.alloc(32);
    return { height, hash, timestamp: (await findBlockRow(db, height))?.timestamp ?? 0, stateHash };
  }
}
