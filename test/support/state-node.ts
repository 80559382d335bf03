import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { keyOfState } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { decodeState } from "../../catapult/state/state.js";
import { stateHandlers } from "../../devnet/protocol/state-handlers.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import type { ChainTables } from "../../ledger/tables/chain-tables.js";
import { BranchNode, type ServedBlock } from "./branch-node.js";
import { recordedConfig } from "./known-networks.js";
import type { RecordedChain } from "./recorded-chain.js";
import { recordedNode } from "./recorded-node.js";

/**
 * A node with state: it executes the blocks that it serves, and answers state paths as of its head. Like the reference it deletes what has finally ended with the next block that it accepts.
 */
export class StateNode {
  readonly node: BranchNode;
  readonly #state: ChainState;
  #hashes: string[] = [];
  #finalizedHeight = 1;

  private constructor(node: BranchNode, config: NetworkConfig) {
    this.node = node;
    this.#state = new ChainState(config);
    for (const [type, handler] of stateHandlers(this.#state)) node.handlers.set(type, handler);
  }

  static start(chain: RecordedChain, blocks: readonly ServedBlock[]): Promise<StateNode> {
    return StateNode.startOf({ ...recordedNode(chain), config: recordedConfig(chain) }, blocks);
  }

  /** A node of any network. */
  static async startOf(
    { config, ...options }: { network: NetworkIdentity; nodeInfo?: Buffer; config: NetworkConfig },
    blocks: readonly ServedBlock[],
  ): Promise<StateNode> {
    const branch = await BranchNode.start({ ...options, blocks: blocks.slice(0, 1) });
    const node = new StateNode(branch, config);
    node.switchTo(blocks);
    return node;
  }

  get address(): { host: string; port: number } {
    return this.node.address;
  }

  get tables(): ChainTables {
    return this.#state.tables;
  }

  /** Serves `blocks` (the whole chain from the nemesis block on) from now on. */
  switchTo(blocks: readonly ServedBlock[]): void {
    const decoded = blocks.map(({ block }) => this.node.decode(block));
    const hashes = decoded.map(({ hash }) => hash.toString("hex"));
    const different = hashes.findIndex((hash, index) => hash !== this.#hashes[index]);
    const common = different < 0 ? hashes.length : different;
    this.#state.rollbackTo(common);
    for (const block of decoded.slice(common)) this.#state.execute(block);
    const finalized = decoded[this.#finalizedHeight - 1];
    if (finalized) this.#state.finalize(finalized.height, finalized.timestamp, 0);
    this.#hashes = hashes;
    this.node.switchTo(blocks);
  }

  /** Reports it at once; ended entries are deleted with the next `switchTo`. */
  finalize(finalization: { epoch: number; point: number; height: number }): void {
    this.#finalizedHeight = finalization.height;
    this.node.finalize(finalization);
  }

  /** Every state value after the head, upper-case hex, by kind and key. */
  values(): Map<string, string> {
    const { tables } = this.#state;
    const { accounts, namespaces, mosaics, multisigs, hashLocks, secretLocks, ...others } = tables;
    const { accountRestrictions, mosaicRestrictions, metadata } = others;
    const serialized: Record<StateKind, readonly Buffer[]> = {
      account: accounts.table.allSerialized(),
      namespace: namespaces.table.allSerialized(),
      mosaic: mosaics.table.allSerialized(),
      multisig: multisigs.table.allSerialized(),
      hashLock: hashLocks.table.allSerialized(),
      secretLock: secretLocks.table.allSerialized(),
      accountRestriction: accountRestrictions.table.allSerialized(),
      mosaicRestriction: mosaicRestrictions.table.allSerialized(),
      metadata: metadata.table.allSerialized(),
    };
    return new Map(
      STATE_KINDS.flatMap((kind) =>
        serialized[kind].map((value): [string, string] => [stateName(kind, keyOf(kind, value)), hex(value)]),
      ),
    );
  }

  close(): Promise<void> {
    return this.node.close();
  }
}

/** The name of a state value in comparisons. */
function stateName(kind: StateKind, key: Buffer): string {
  return `${kind} ${hex(key)}`;
}

function keyOf<K extends StateKind>(kind: K, value: Buffer): Buffer {
  return keyOfState(kind, decodeState(kind, value));
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}
