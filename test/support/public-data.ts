import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { MAIN_NETWORK, TEST_NETWORK } from "./main-network.js";
import { dataLines } from "./test-data.js";

const earlierTestNetwork = (seed: string): NetworkIdentity => ({
  identifier: 152,
  generationHashSeed: Buffer.from(seed, "hex"),
});

/** Public networks by the names in `test/data/public`: today's, and test networks that were replaced. */
const NETWORKS: Readonly<Record<string, NetworkIdentity>> = {
  mainnet: MAIN_NETWORK,
  testnet: TEST_NETWORK,
  testnet2022: earlierTestNetwork("7FCCD304802016BEBBCD342A332F91FF1F3BB5E902988B352697BE245F48E836"),
  testnet2021: earlierTestNetwork("3B5E1FA6445653C971A50687E75E6D09FB30481055E3990C84B25E9222DC1155"),
  testnet2020b: earlierTestNetwork("45FBCF2F0EA36EFA7923C9BC923D6503169651F7FA4EFC46A8EAF5AE09057EBD"),
  testnet2020d: earlierTestNetwork("6C1B92391CCB41C96478471C2634C111D9E989DECD66130C0430B5B8D20117CD"),
};

/** Of all files there; bytes are upper-case hex. */
interface PublicRow {
  readonly network: string;
  readonly height: number;
  readonly hash: string;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
type Body = any;

/** A header from its first byte to the fee multiplier, and what a node or a client library said of the block. */
export interface PublicBlock extends PublicRow {
  readonly header: string;
  readonly content: Body;
}

/** A transaction with what a node said of it: the body of `/transactions/confirmed/{hash}`, or a message. */
export interface PublicTransaction extends PublicRow {
  readonly kind: "transaction" | "transaction message";
  readonly payload: string;
  readonly content: Body;
}

/** The header of an aggregate, and the hashes of its embedded transactions: without, and with their padding. */
export interface PublicAggregate extends PublicRow {
  readonly header: string;
  readonly leaves: readonly string[];
  readonly paddedLeaves: readonly string[];
}

/** A signed transaction that was published, whether or not it was ever confirmed. */
export interface PublicPayload extends PublicRow {
  readonly payload: string;
}

/** A path in a state tree: to a key, or to where it would be if there is no `valueHash`. */
export interface PublicPath {
  readonly raw: string;
  readonly valueHash?: string;
  /** Kind of state and key, where the key itself is known. */
  readonly state?: StateKind;
  readonly id?: string;
  /** The hashed key, where only that is known. */
  readonly key?: string;
  /** Of the tree; if it is absent, its root is one of those under the state hash. */
  readonly root?: string;
  readonly stateHash?: string;
  readonly roots?: readonly string[];
  readonly rootIndex?: number;
  /** As in a REST body. */
  readonly tree?: Body;
}

export const hexBytes = (text: string): Buffer => Buffer.from(text, "hex");

export function publicNetworkOf({ network }: PublicRow): NetworkIdentity {
  const known = NETWORKS[network];
  if (!known) throw new Error(`unknown network ${network}`);
  return known;
}

/** Every row of a file in `test/data/public`. */
export function publicRows<Row>(name: string): Row[] {
  return dataLines(`public/${name}.jsonl.gz`);
}
