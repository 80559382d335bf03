import { describe, expect, test } from "@jest/globals";
import { pluginOrder } from "../../catapult/network/plugin-order.js";
import { publicNetworkNamed } from "../../catapult/network/public-networks.js";
import { modify, operationRestriction } from "../devnet/state-descriptors.js";
import { TestChain, transfer } from "../devnet/state-test-chain.js";

const PREFIX = "catapult.plugins.";
/** Written by hash tables of libstdc++ 13, from the sections of the main network's file and of a node's in a lab. */
const MAIN_NETWORK =
  "restrictionmosaic metadata aggregate locksecret mosaic accountlink restrictionaccount lockhash multisig namespace transfer";
const LAB =
  "restrictionmosaic metadata aggregate multisig lockhash mosaic locksecret accountlink restrictionaccount transfer namespace";
const THIRTEEN =
  "transfer namespace restrictionmosaic metadata multisig lockhash mosaic locksecret accountlink restrictionaccount aggregate";
const THIRTY_THREE =
  "p14 p6 p8 p18 aggregate mosaic p0 p9 p10 namespace restrictionmosaic metadata p7 p19 p11 p5 p13 multisig locksecret " +
  "transfer p12 p2 p17 restrictionaccount p1 accountlink p15 lockhash p16 p3 p4";
const ALPHABETICAL = LAB.split(" ").sort();

function orderOf(sections: readonly string[]): string {
  return pluginOrder(sections)
    .map((name) => name.slice(PREFIX.length))
    .join(" ");
}

const plugins = ALPHABETICAL.map((name) => `plugin:${PREFIX}${name}`);

describe("nodes load their plugins in the order of hash tables:", () => {
  test("that of the main network, whose file has 16 sections", () => {
    expect(orderOf(publicNetworkNamed("mainnet").network.titles())).toBe(MAIN_NETWORK);
  });

  test("that of a network without a treasury reissuance, whose fork heights are the third section", () => {
    const sections = ["network", "chain", "fork_heights", ...plugins];
    expect(orderOf(sections)).toBe(LAB);
    expect(orderOf([...sections, "unknown to a node"])).toBe(LAB);
  });

  test("13 sections, in tables that never grew, and 33, in tables that grew twice", () => {
    const few = ["network", "chain", ...plugins];
    expect(orderOf(few)).toBe(THIRTEEN);
    expect(orderOf([...few, ...Array.from({ length: 20 }, (_, index) => `plugin:${PREFIX}p${index}`)])).toBe(
      THIRTY_THREE,
    );
  });
});

test("of several plugins that reject a transaction, the first one in that order gives the code", () => {
  const codeWith = (order: string) => {
    const chain = new TestChain(["hermit"], {}, { plugins: order.split(" ").map((name) => PREFIX + name) });
    const flags = ["transaction_type", "outgoing", "block"];
    chain.send("hermit", operationRestriction(flags, ["aggregate_bonded"]));
    chain.mine(modify(chain, "hermit", ["bob"], [], 1, 1, ["hermit", "bob"]));
    const embedded = [chain.embedded("hermit", transfer("bob"))];
    const type = "aggregate_bonded_transaction_v2";
    return chain.rejectionOf(chain.aggregate("hermit", embedded, [], { type }));
  };
  expect(codeWith(MAIN_NETWORK)).toBe("Failure_RestrictionAccount_Operation_Type_Prohibited");
  expect(codeWith(LAB)).toBe("Failure_Multisig_Operation_Prohibited_By_Account");
  expect(codeWith(LAB.replace("multisig lockhash", "lockhash multisig"))).toBe("Failure_LockHash_Unknown_Hash");
});
