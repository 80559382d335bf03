import { describe } from "@jest/globals";
import { MainNetwork } from "./main-network.js";
import { RecordedChain, type Vector } from "./recorded-chain.js";
import { dataFile, dataJson } from "./test-data.js";

/** Tests on the recorded chain. */
export function describeRecorded(name: string, body: (chain: RecordedChain) => void): void {
  describe(name, () => body(new RecordedChain()));
}

/** Tests on published vectors: `transactions`, `blocks`, `receipts` or `other`. */
export function describeVectors(name: string, file: string, body: (vectors: Vector[]) => void): void {
  describe(name, () => body(dataJson(`vectors/${file}.json.gz`)));
}

/** Tests on the main network's first block. */
export function describeMainNetwork(name: string, body: (files: MainNetwork) => void): void {
  describe(name, () => body(new MainNetwork()));
}

/**
 * Tests on the first block of an earlier public test network as nodes store it: block, hash, generation hash, and more.
 */
export function describeTestNetwork(name: string, body: (stored: Buffer) => void): void {
  describe(name, () => body(dataFile("testnet/nemesis.dat")));
}
