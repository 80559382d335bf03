import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { decodeAccount } from "../../catapult/state/account.js";
import { idBytes } from "../../catapult/state/composite-hash.js";
import { type StateKey, statePackets } from "../../catapult/state/key.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import { type StateProof, StateProofError, verifyStateValue } from "../../catapult/state/proof.js";
import { decodeKnownState, type StateByKind, stateVersion } from "../../catapult/state/state.js";
import { StateKeySet } from "../../catapult/state/state-key-set.js";
import { mainAccountOf } from "../../catapult/state/touched.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { ReadState, UnknownState } from "../step/state-change.js";

/** The block whose state is read. */
export interface StatePoint {
  readonly height: number;
  readonly hash: Buffer;
  /** Of its header. */
  readonly stateHash: Buffer;
  /** The roots under the state hash; none on a network that keeps no tree of its state. */
  readonly subCacheMerkleRoots: readonly Buffer[];
}

/** The result of reading. */
export type StateReading =
  | {
      readonly result: "read";
      readonly values: readonly ReadState[];
      readonly unknown: readonly UnknownState[];
      readonly settled: readonly StateKey[];
      /** Values that do not match the state hash. */
      readonly rejected: readonly StateProofError[];
    }
  /** The node's head was not that block all the time: the height of the values is uncertain. */
  | { readonly result: "moved" };

/** Keys per request for values; each has its own request for its path. */
const KEYS_AT_A_TIME = 250;

/** A child namespace leads to its root, and a remote account to its main account: one more round each. */
const MAX_ROUNDS = 3;

/**
 * Reads state values of the block that is the node's head, between two polls of that head. Each is verified against
 * the block's state hash; invalid ones are rejected.
 * @throws the errors of `NodeClient`, also when the node serves no state values: it closes the connection or is
 * silent
 */
export async function readStates(
  node: NodeClient,
  networkIdentifier: number,
  keys: readonly StateKey[],
  point: StatePoint,
): Promise<StateReading> {
  if (!(await standsAt(node, point))) return { result: "moved" };
  const reader = new StateReader(node, networkIdentifier, point);
  await reader.read(keys);
  if (!(await standsAt(node, point))) return { result: "moved" };
  const { values, unknown, settled, rejected } = reader;
  return { result: "read", values, unknown, settled: [...settled], rejected };
}

async function standsAt(node: NodeClient, { height, hash }: StatePoint): Promise<boolean> {
  const [statistics, [theirs]] = await Promise.all([node.chainStatistics(), node.blockHashes(height, 1)]);
  return statistics.height === height && theirs !== undefined && theirs.equals(hash);
}

class StateReader {
  readonly values: ReadState[] = [];
  readonly unknown: UnknownState[] = [];
  readonly rejected: StateProofError[] = [];
  readonly settled = new StateKeySet();
  readonly #node: NodeClient;
  readonly #networkIdentifier: number;
  readonly #point: StatePoint;
  readonly #requested = new StateKeySet();
  /** Children by the key of their root, as hex. */
  readonly #children = new Map<string, StateKey[]>();

  constructor(node: NodeClient, networkIdentifier: number, point: StatePoint) {
    this.#node = node;
    this.#networkIdentifier = networkIdentifier;
    this.#point = point;
  }

  async read(keys: readonly StateKey[]): Promise<void> {
    let round: readonly StateKey[] = keys;
    for (let i = 0; i < MAX_ROUNDS && round.length > 0; i++) {
      const fresh = round.filter(({ kind, key }) => !this.#requested.has(kind, key));
      this.#requested.addAll(fresh);
      const next = new StateKeySet();
      for (const kind of STATE_KINDS) {
        const ofKind = fresh.filter((one) => one.kind === kind).map(({ key }) => key);
        for (let start = 0; start < ofKind.length; start += KEYS_AT_A_TIME) {
          await this.#readSome(kind, ofKind.slice(start, start + KEYS_AT_A_TIME), next);
        }
      }
      round = [...next];
    }
    for (const [root, children] of this.#children) {
      if (this.settled.has("namespace", Buffer.from(root, "hex"))) this.settled.addAll(children);
    }
  }

  async #readSome(kind: StateKind, keys: readonly Buffer[], next: StateKeySet): Promise<void> {
    const packets = statePackets(kind);
    const hasTree = this.#point.subCacheMerkleRoots.length > 0;
    const [values, ...paths] = await Promise.all([
      this.#node.stateValues(packets.values, keys),
      ...(hasTree ? keys.map((key) => this.#node.statePath(packets.path, key)) : []),
    ]);
    for (const [index, { key, value }] of values.entries()) {
      const claim = { kind, key, value };
      try {
        this.#take(claim, paths[index], next);
      } catch (error) {
        if (!(error instanceof StateProofError)) throw error;
        this.rejected.push(error);
      }
    }
  }

  #take(claim: ReadState, path: Buffer | undefined, next: StateKeySet): void {
    const judged = path ? this.#judgeByProof(claim, path) : judgeByValue(claim);
    if (judged.result === "unknown") {
      this.unknown.push({ kind: claim.kind, key: claim.key, version: judged.version });
      return;
    }
    if (judged.result === "child") {
      const root = { kind: claim.kind, key: idBytes(judged.rootId) };
      const name = root.key.toString("hex");
      this.#children.set(name, [...(this.#children.get(name) ?? []), claim]);
      next.addAll([root]);
      return;
    }
    this.values.push(claim);
    this.settled.add(claim.kind, claim.key);
    if (claim.kind !== "account" || !claim.value) return;
    const main = mainAccountOf(decodeAccount(claim.value));
    if (main) next.add("account", addressOfPublicKey(main, this.#networkIdentifier));
  }

  /** Throws `StateProofError` unless the value (or its absence) is proven. */
  #judgeByProof(claim: ReadState, path: Buffer): StateProof {
    const { height, stateHash, subCacheMerkleRoots } = this.#point;
    return verifyStateValue({ ...claim, path, height, stateHash, subCacheMerkleRoots });
  }
}

/** Without a tree, checks the value by itself: for a child namespace it is its root's. */
function judgeByValue({ kind, key, value }: ReadState): StateProof {
  if (!value) return { result: "absent" };
  const state = decodeKnownState(kind, value);
  if (!state) return { result: "unknown", version: stateVersion(value) };
  const { id } = state as StateByKind["namespace"];
  const isChild = kind === "namespace" && id !== key.readBigUInt64LE();
  return isChild ? { result: "child", rootId: id } : { result: "present" };
}
