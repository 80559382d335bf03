import { describe, expect, test } from "@jest/globals";
import { models } from "symbol-sdk/symbol";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import {
  addressAlias,
  childNamespace,
  mosaicAlias,
  mosaicListing,
  rootNamespace,
} from "../devnet/state-descriptors.js";
import {
  account,
  aliasOf,
  CURRENCY,
  FUNDS,
  mosaicDefinition,
  mosaicOf,
  TestChain,
  transfer,
} from "../devnet/state-test-chain.js";
import { namespaceIdOf } from "../support/namespace-ids.js";

/** Of these chains, in blocks. */
const MIN_DURATION = 12n;
const MAX_DURATION = 6_307_200n;
const GRACE = 12n;
const ROOT_FEE = 1_000n;
const CHILD_FEE = 100_000n;

const rootOf = (chain: TestChain, name: string) => chain.state.tables.namespaces.rootOf(namespaceIdOf(name));
const houseAlias = aliasOf("house");

/** A chain on which alice owns the root `house` for so long, and a mosaic. */
function chainWithNamespace(duration = 100n): TestChain {
  const chain = new TestChain(["alice", "bob", "carol"]);
  chain.send("alice", mosaicDefinition("alice", 1));
  chain.send("alice", rootNamespace("house", duration));
  return chain;
}

describe("the registration of a root", () => {
  test("is for the minimum to the maximum of blocks, and never for ever after the first block", () => {
    const chain = new TestChain(["alice"]);
    const codes = [MIN_DURATION - 1n, MIN_DURATION, MAX_DURATION, MAX_DURATION + 1n, 0n].map((duration) =>
      chain.codeOf("alice", rootNamespace("some", duration)),
    );
    const invalid = "Failure_Namespace_Invalid_Duration";
    const eternal = "Failure_Namespace_Eternal_After_Nemesis_Block";
    expect(codes).toEqual([invalid, undefined, undefined, invalid, eternal]);
  });

  test("has a name of 1 to 64 of its characters, which begins with a letter or a digit", () => {
    const chain = new TestChain(["alice"]);
    const named = (name: string) =>
      chain.rejectionOf(
        chain.transaction("alice", rootNamespace("a", 12n), (entity) => {
          const registration = entity as models.NamespaceRegistrationTransactionV1;
          const bytes = Buffer.from(name, "latin1");
          registration.name = bytes;
          registration.id = new models.NamespaceId(generateNamespaceId(bytes));
        }),
      );
    expect(["a", "0-_", "z".repeat(64)].map(named)).toEqual([undefined, undefined, undefined]);
    const wrong = ["", "z".repeat(65), "-a", "_a", "aB", "a\n", "a\0", "\xe4"];
    expect(wrong.map(named)).toEqual(wrong.map(() => "Failure_Namespace_Invalid_Name"));
  });

  test("adds to the end of an active one, up to the maximum from now on", () => {
    const chain = chainWithNamespace();
    const { startHeight: start, endHeight: end } = rootOf(chain, "house")!;
    expect([BigInt(start) + 100n + GRACE, start]).toEqual([end, chain.state.height]);
    chain.skip(3);
    const max = BigInt(chain.state.height + 1) + MAX_DURATION + GRACE - end;
    expect(chain.codeOf("alice", rootNamespace("house", max + 1n))).toBe("Failure_Namespace_Invalid_Duration");
    chain.send("alice", rootNamespace("house", max));
    expect(rootOf(chain, "house")).toMatchObject({ startHeight: start, endHeight: end + max });
  });

  test("costs the fee of each block, a child that of a child, both times the fee factor, to the last unit", () => {
    const chain = chainWithNamespace();
    expect(chain.balance("alice")).toBe(FUNDS - 100n * ROOT_FEE - 500_000n);
    chain.send("alice", childNamespace("house", "door"));
    expect(chain.balance("alice")).toBe(FUNDS - 100n * ROOT_FEE - 500_000n - CHILD_FEE);
    const spend = FUNDS - 20n * ROOT_FEE;
    chain.send("bob", transfer("carol", [[CURRENCY, spend]]));
    expect(chain.codeOf("bob", rootNamespace("other", 21n))).toBe("Failure_Core_Insufficient_Balance");
    chain.send("bob", rootNamespace("other", 20n));
    expect(chain.balance("bob")).toBe(0n);
  });
});

describe("the lifetime of a root", () => {
  /** Codes in the next block, for an owner and another account. */
  function codesOf(chain: TestChain) {
    return {
      child: chain.codeOf("alice", childNamespace("house", "door")),
      alias: chain.codeOf("alice", addressAlias("house", "carol", "link")),
      renewal: chain.codeOf("alice", rootNamespace("house", 12n)),
      other: chain.codeOf("bob", rootNamespace("house", 12n)),
    };
  }

  test("ends for use a grace period before it ends for others", () => {
    const chain = chainWithNamespace(12n);
    const { startHeight: start } = rootOf(chain, "house")!;
    const conflict = "Failure_Namespace_Owner_Conflict";
    const expired = "Failure_Namespace_Expired";
    chain.skip(start + 11 - 1 - chain.state.height);
    expect(codesOf(chain)).toEqual({ child: undefined, alias: undefined, renewal: undefined, other: conflict });
    chain.skip(1);
    expect(codesOf(chain)).toEqual({ child: expired, alias: expired, renewal: undefined, other: conflict });
    chain.skip(11);
    expect(codesOf(chain)).toEqual({ child: expired, alias: expired, renewal: undefined, other: conflict });
    chain.skip(1);
    expect(chain.state.height + 1).toBe(start + 24);
    expect(codesOf(chain)).toEqual({ child: expired, alias: expired, renewal: undefined, other: undefined });
  });

  test("is renewed with its children and aliases until its last block, and empty afterwards, also for its owner", () => {
    for (const [wait, owner, isKept] of [
      [22, "alice", true],
      [23, "alice", false],
      [23, "bob", false],
    ] as const) {
      const chain = chainWithNamespace(12n);
      const { startHeight: start } = rootOf(chain, "house")!;
      chain.send("alice", childNamespace("house", "door"), addressAlias("house", "carol", "link"));
      chain.skip(start + wait - chain.state.height);
      chain.send(owner, rootNamespace("house", 12n));
      const root = rootOf(chain, "house")!;
      expect([root.startHeight, root.entries.length, root.entries.get(root.id)!.alias.kind]).toEqual(
        isKept ? [start, 2, "address"] : [start + wait + 1, 1, "none"],
      );
      expect(rootOf(chain, "house.door")?.id).toBe(isKept ? root.id : undefined);
    }
  });

  test("has receipts at the beginning and at the end of its grace period, in the order of the ids", () => {
    const chain = new TestChain(["alice"]);
    const names = ["one", "two", "three", "four"];
    chain.send("alice", ...names.map((name) => rootNamespace(name, 12n)));
    const start = chain.state.height;
    const ids = names.map(namespaceIdOf).sort((left, right) => (left < right ? -1 : 1));
    const renew = () => chain.send("alice", rootNamespace("two", 12n));
    const seen: [number, number, bigint][] = [];
    const renewed = namespaceIdOf("two");
    for (let block = 1; block <= 37; ++block) {
      const { statement } = block === 5 ? renew() : chain.mine();
      for (const { receipts } of decodeStatement(statement).transactionStatements) {
        for (const receipt of receipts) {
          if (receipt.kind === "artifactExpiry") {
            seen.push([chain.state.height - start, receipt.type, receipt.artifactId]);
          }
        }
      }
    }
    const others = ids.filter((id) => id !== renewed);
    expect(seen).toEqual([
      ...others.map((id) => [12, RECEIPT_TYPE.namespace_expired, id]),
      [24, RECEIPT_TYPE.namespace_expired, renewed],
      ...others.map((id) => [24, RECEIPT_TYPE.namespace_deleted, id]),
      [36, RECEIPT_TYPE.namespace_deleted, renewed],
    ]);
    expect(chain.state.tables.namespaces.table.rootHash()).toEqual(Buffer.alloc(32));
  });
});

describe("children", () => {
  test("are two at most in all levels, of which there are three", () => {
    const chain = chainWithNamespace();
    const child = (parent: string, name: string) => chain.codeOf("alice", childNamespace(parent, name));
    chain.send("alice", childNamespace("house", "door"));
    expect(child("house.door", "knob")).toBeUndefined();
    expect(child("house", "wall")).toBeUndefined();
    chain.send("alice", childNamespace("house.door", "knob"));
    expect(child("house", "wall")).toBe("Failure_Namespace_Max_Children_Exceeded");
    expect(child("house.door.knob", "screw")).toBe("Failure_Namespace_Too_Deep");
    expect(child("house.door", "knob")).toBe("Failure_Namespace_Already_Exists");
  });

  test("of a reserved name are reserved, grandchildren are not", () => {
    const { namespace } = new TestChain([]).state.config;
    const reservedRootNames = new Set<string>();
    const open = new TestChain(["alice"], {}, { namespace: { ...namespace, reservedRootNames } });
    open.send("alice", rootNamespace("xem", 12n));
    const reserved = new TestChain(["alice"]);
    const root = rootOf(open, "xem")!;
    reserved.state.tables.namespaces.setRoot(root.id, root.ownerAddress, root.startHeight, root.endHeight);
    const child = (parent: string, name: string) => reserved.codeOf("alice", childNamespace(parent, name));
    expect(child("xem", "door")).toBe("Failure_Namespace_Root_Name_Reserved");
    reserved.state.tables.namespaces.addChild(namespaceIdOf("xem.door"), root.id);
    expect(child("xem.door", "knob")).toBeUndefined();
  });
});

describe("an alias of a mosaic", () => {
  test("names the mosaic by its id: the id of a namespace that is an alias itself is that of no mosaic", () => {
    const chain = chainWithNamespace();
    chain.send("alice", childNamespace("house", "door"), mosaicAlias("house", mosaicOf("alice", 1), "link"));
    const link = (id: bigint) => chain.codeOf("alice", mosaicAlias("house.door", id, "link"));
    expect(link(mosaicOf("alice", 1))).toBeUndefined();
    expect(link(namespaceIdOf("house"))).toBe("Failure_Mosaic_Expired");
  });

  test("is unlinked by the id that it has, also after the mosaic expired", () => {
    const chain = chainWithNamespace();
    chain.send("alice", mosaicDefinition("alice", 2, { duration: 2n }));
    chain.send("alice", mosaicAlias("house", mosaicOf("alice", 2), "link"));
    chain.skip(3);
    const unlink = (id: bigint) => chain.codeOf("alice", mosaicAlias("house", id, "unlink"));
    expect(unlink(mosaicOf("alice", 1))).toBe("Failure_Namespace_Alias_Inconsistent_Unlink_Data");
    expect(unlink(mosaicOf("alice", 2))).toBeUndefined();
    expect(chain.codeOf("alice", addressAlias("house", "alice", "unlink"))).toBe(
      "Failure_Namespace_Alias_Inconsistent_Unlink_Type",
    );
  });
});

describe("resolutions", () => {
  test("are recorded when an alias is used, once for each target, at the first source that has it", () => {
    const chain = chainWithNamespace();
    chain.send("alice", addressAlias("house", "carol", "link"));
    const pay = () => chain.transaction("bob", transfer(houseAlias, [[CURRENCY, 1n]]));
    const change = (name: string, action: string) => chain.transaction("alice", addressAlias("house", name, action));
    const { statement } = chain.mine(
      pay(),
      pay(),
      change("carol", "unlink"),
      change("bob", "link"),
      pay(),
      change("bob", "unlink"),
      change("carol", "link"),
      pay(),
      pay(),
    );
    const [resolution, ...others] = decodeStatement(statement).addressResolutions;
    expect(others).toEqual([]);
    expect(resolution!.unresolved).toEqual(houseAlias);
    expect(resolution!.entries.map(({ source, resolved }) => [source.primaryId, source.secondaryId, resolved])).toEqual(
      [
        [1, 0, account("carol").address],
        [5, 0, account("bob").address],
        [8, 0, account("carol").address],
      ],
    );
  });

  test("need an alias of their kind: an address is none for a mosaic, and the other way round", () => {
    const chain = chainWithNamespace();
    const payAlias = () => chain.codeOf("bob", transfer("carol", [[namespaceIdOf("house"), 1n]]));
    chain.send("alice", addressAlias("house", "carol", "link"));
    expect([chain.codeOf("bob", transfer(houseAlias)), payAlias()]).toEqual([
      undefined,
      "Failure_Core_Insufficient_Balance",
    ]);
    expect(chain.codeOf("bob", mosaicListing(["mosaic_id"], [namespaceIdOf("house")]))).toBeUndefined();
    chain.send("alice", addressAlias("house", "carol", "unlink"), mosaicAlias("house", mosaicOf("alice", 1), "link"));
    expect(chain.codeOf("bob", transfer(houseAlias))).toBe("Failure_Core_Invalid_Address");
    expect(chain.codeOf("alice", transfer("bob", [[namespaceIdOf("house"), 0n]]))).toBeUndefined();
  });
});
