import { expect, test } from "@jest/globals";
import { findHarvester, type HarvestedBlock } from "../../catapult/entity/harvester.js";
import { describeRecorded } from "../support/describe-chains.js";
import { recordedBlocks, upperHex } from "../support/recorded-facts.js";

const key = (byte: number) => Buffer.alloc(32, byte);
const address = (byte: number) => Buffer.alloc(24, byte);
const [REMOTE, MAIN, OTHER, SINK] = [1, 2, 3, 4] as const;

const link = (signer: number, linked: number, linkAction: number) => ({
  ...{ signerAddress: address(signer), embedded: [] },
  entity: { kind: "account_key_link", linkedPublicKey: key(linked), linkAction } as const,
});

/** A block that is signed by the remote key, and pays some accounts. */
const blockOf = (transactions: HarvestedBlock["transactions"], ...paid: number[]): HarvestedBlock => ({
  ...{ signerPublicKey: key(REMOTE), signerAddress: address(REMOTE), transactions },
  statement: {
    transactionStatements: [
      {
        source: { primaryId: 0, secondaryId: 0 },
        receipts: paid.map((byte) => ({
          ...({ kind: "balanceChange", version: 1, type: 8515, mosaicId: 1n, amount: 5n } as const),
          ...{ targetAddress: address(byte), bytes: Buffer.alloc(0) },
        })),
      },
    ],
  },
});

test("the first account that a block pays for harvesting is its harvester", () => {
  expect(findHarvester(blockOf([], MAIN, SINK, OTHER))).toEqual(address(MAIN));
  expect(findHarvester(blockOf([link(OTHER, 9, 0), link(OTHER, 8, 1)], MAIN))).toEqual(address(MAIN));
});

test("a block that gives the remote account to another main account was harvested by the former one", () => {
  const transactions = [link(OTHER, 9, 0), link(MAIN, REMOTE, 0), link(OTHER, REMOTE, 1), link(OTHER, REMOTE, 0)];
  expect(findHarvester(blockOf(transactions, OTHER))).toEqual(address(MAIN));
  const [first, ...embedded] = transactions;
  const aggregate = { signerAddress: address(OTHER), entity: { kind: "aggregate_complete" } as const, embedded };
  expect(findHarvester(blockOf([first!, aggregate], OTHER))).toEqual(address(MAIN));
});

test("without receipts it is the account of the signing key", () => {
  expect(findHarvester(blockOf([]))).toEqual(address(REMOTE));
});

describeRecorded("harvesters, over the recorded chain", (chain) => {
  test("are the accounts that had linked the key that signed", () => {
    const mains = new Map<string, Buffer>();
    let delegated = 0;
    for (const block of recordedBlocks(chain)) {
      const main = mains.get(upperHex(block.signerPublicKey));
      if (main) delegated += 1;
      expect(upperHex(findHarvester(block))).toBe(upperHex(main ?? block.signerAddress));
      for (const { entity, signerAddress } of block.transactions.flatMap((one) => [one, ...one.embedded])) {
        if (entity.kind !== "account_key_link") continue;
        if (entity.linkAction === 1) mains.set(upperHex(entity.linkedPublicKey), signerAddress);
        else mains.delete(upperHex(entity.linkedPublicKey));
      }
    }
    expect(delegated).toBeGreaterThan(100);
  });
});
