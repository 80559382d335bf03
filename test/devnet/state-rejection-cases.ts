import { models } from "symbol-sdk/symbol";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import type { ExecutableTransaction } from "../../ledger/rules/notifications.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import {
  accountLink,
  addressAlias,
  addressRestriction,
  addressValue,
  bonded,
  childNamespace,
  doubleSha256,
  globalRestriction,
  hashLock,
  metadata,
  modify,
  mosaicAlias,
  mosaicListing,
  nodeLink,
  operationRestriction,
  revocation,
  rootNamespace,
  secretLock,
  secretProof,
  setId,
  votingLink,
  vrfLink,
  wrongChecksum,
} from "./state-descriptors.js";
import {
  CURRENCY,
  type Descriptor,
  FUNDS,
  mosaicDefinition,
  mosaicOf,
  supplyChange,
  TestChain,
  transfer,
} from "./state-test-chain.js";

const DAY = 24 * 3_600_000;
const RULE = 0x1111n;

/** Creates a transaction for a chain. */
export type Build = (chain: TestChain) => ExecutableTransaction;
/** The rejection of a transaction, its cause, and the transaction. */
export type RejectionCase = readonly [rejection: FailureName, cause: string, build: Build];

/** At least one case for every failure that the state engine knows, on {@link chainWithEverything}. */
export const REJECTION_CASES: readonly RejectionCase[] = [
  ["Failure_Core_Insufficient_Balance", "an account without funds", by("nobody", transfer("bob", [[CURRENCY, 1n]]))],
  ["Failure_Core_Insufficient_Balance", "more than there is", by("alice", transfer("bob", [[CURRENCY, FUNDS + 1n]]))],
  ["Failure_Core_Insufficient_Balance", "an unknown mosaic", by("alice", transfer("bob", [[99n, 1n]]))],
  ["Failure_Core_Insufficient_Balance", "no fee left", by("nobody", { ...transfer("bob"), fee: 1n })],
  ["Failure_Core_Past_Deadline", "a deadline in the past", by("alice", { ...transfer("bob"), deadline: 1n })],
  ["Failure_Core_Future_Deadline", "a far deadline", by("alice", { ...transfer("bob"), deadline: BigInt(30 * DAY) })],
  ["Failure_Core_Invalid_Address", "a wrong checksum", by("alice", transfer(wrongChecksum()))],
  [
    "Failure_Core_Invalid_Address",
    "an alias of nothing",
    by("alice", transfer(encodeAliasAddress(namespaceIdOf("none"), 152))),
  ],
  ["Failure_Core_Nemesis_Account_Signed_After_Nemesis_Block", "the nemesis account", by("nemesis", transfer("bob"))],
  ["Failure_Transfer_Message_Too_Large", "a long message", by("alice", transfer("bob", [], new Uint8Array(1025)))],
  ["Failure_Core_Link_Already_Exists", "a second VRF key", by("alice", vrfLink("another", "link"))],
  ["Failure_Core_Inconsistent_Unlink_Data", "unlinking another VRF key", by("alice", vrfLink("another", "unlink"))],
  ["Failure_Core_Invalid_Link_Range", "a short voting key", by("bob", votingLink(1, 10))],
  ["Failure_Core_Link_Start_Epoch_Invalid", "a voting key from epoch 0", by("bob", votingLink(0, 100))],
  ["Failure_Core_Link_Already_Exists", "overlapping voting keys", by("alice", votingLink(50, 200))],
  ["Failure_AccountLink_Link_Already_Exists", "a second remote account", by("alice", accountLink("other", "link"))],
  ["Failure_AccountLink_Unknown_Link", "unlinking nothing", by("bob", accountLink("other", "unlink"))],
  ["Failure_AccountLink_Inconsistent_Unlink_Data", "unlinking another", by("alice", accountLink("other", "unlink"))],
  [
    "Failure_AccountLink_Remote_Account_Ineligible",
    "an account that has signed as remote",
    by("bob", accountLink("hermit", "link")),
  ],
  ["Failure_AccountLink_Remote_Account_Signer_Prohibited", "a remote signer", by("remote", transfer("bob"))],
  ["Failure_AccountLink_Remote_Account_Participant_Prohibited", "a remote recipient", by("alice", transfer("remote"))],
  ["Failure_AccountLink_Link_Already_Exists", "a second node key", by("alice", nodeLink("another", "link"))],

  ["Failure_Mosaic_Owner_Conflict", "another's mosaic", by("bob", supplyChange(mosaicOf("alice", 1), 1n))],
  ["Failure_Mosaic_Expired", "the supply of no mosaic", by("bob", supplyChange(99n, 1n))],
  ["Failure_Mosaic_Supply_Immutable", "a fixed supply", by("alice", supplyChange(mosaicOf("alice", 2), 1n))],
  [
    "Failure_Mosaic_Supply_Negative",
    "too much destroyed",
    by("alice", supplyChange(mosaicOf("alice", 1), 10n ** 9n, "decrease")),
  ],
  ["Failure_Mosaic_Supply_Exceeded", "too large a supply", by("alice", supplyChange(mosaicOf("alice", 1), 10n ** 17n))],
  [
    "Failure_Mosaic_Invalid_Supply_Change_Amount",
    "a change by nothing",
    by("alice", supplyChange(mosaicOf("alice", 1), 0n)),
  ],
  [
    "Failure_Mosaic_Invalid_Divisibility",
    "a divisibility of 7",
    by("alice", mosaicDefinition("alice", 9, { divisibility: 7 })),
  ],
  [
    "Failure_Mosaic_Invalid_Duration",
    "a long duration",
    by("alice", mosaicDefinition("alice", 9, { duration: 10n ** 9n })),
  ],
  [
    "Failure_Mosaic_Id_Mismatch",
    "another's mosaic id",
    (c) => c.transaction("bob", mosaicDefinition("bob", 9), (entity) => setId(entity, new models.MosaicId(99n))),
  ],
  ["Failure_Mosaic_Modification_Disallowed", "changing a used mosaic", by("alice", mosaicDefinition("alice", 1))],
  [
    "Failure_Mosaic_Modification_No_Changes",
    "changing nothing",
    by("alice", mosaicDefinition("alice", 3, { flags: 0 })),
  ],
  [
    "Failure_Mosaic_Non_Transferable",
    "a mosaic that stays",
    by("bob", transfer("carol", [[mosaicOf("alice", 2), 1n]])),
  ],
  [
    "Failure_Mosaic_Required_Property_Flag_Unset",
    "revoking an irrevocable one",
    by("alice", revocation(mosaicOf("alice", 2))),
  ],
  ["Failure_Mosaic_Max_Mosaics_Exceeded", "an eighth mosaic", by("alice", supplyChange(mosaicOf("alice", 3), 1n))],

  ["Failure_Namespace_Root_Name_Reserved", "a reserved name", by("alice", rootNamespace("xem"))],
  ["Failure_Namespace_Invalid_Name", "a name in capitals", by("alice", rootNamespace("BAD"))],
  [
    "Failure_Namespace_Name_Id_Mismatch",
    "another name's id",
    (c) => c.transaction("alice", rootNamespace("some"), (entity) => setId(entity, new models.NamespaceId(99n))),
  ],
  ["Failure_Namespace_Invalid_Duration", "a duration of one block", by("alice", rootNamespace("some", 1n))],
  ["Failure_Namespace_Invalid_Duration", "a renewal too far", by("alice", rootNamespace("house", 6_307_200n))],
  ["Failure_Namespace_Owner_Conflict", "another's namespace", by("bob", rootNamespace("house"))],
  ["Failure_Namespace_Owner_Conflict", "a child of another's", by("bob", childNamespace("house", "roof"))],
  ["Failure_Namespace_Already_Exists", "a child twice", by("alice", childNamespace("house", "door"))],
  ["Failure_Namespace_Unknown_Parent", "a child of nothing", by("alice", childNamespace("nothing", "child"))],
  ["Failure_Namespace_Max_Children_Exceeded", "a third child", by("alice", childNamespace("house", "third"))],
  ["Failure_Namespace_Unknown", "an alias of no namespace", by("alice", addressAlias("nothing", "bob", "link"))],
  ["Failure_Namespace_Alias_Already_Exists", "a second alias", by("alice", addressAlias("house", "carol", "link"))],
  ["Failure_Namespace_Unknown_Alias", "unlinking no alias", by("alice", addressAlias("house.door", "bob", "unlink"))],
  [
    "Failure_Namespace_Alias_Inconsistent_Unlink_Data",
    "unlinking another",
    by("alice", addressAlias("house", "carol", "unlink")),
  ],
  [
    "Failure_Namespace_Alias_Inconsistent_Unlink_Type",
    "unlinking a mosaic",
    by("alice", mosaicAlias("house", 1n, "unlink")),
  ],
  [
    "Failure_Namespace_Alias_Invalid_Address",
    "an unknown account",
    by("alice", addressAlias("house.door", "stranger", "link")),
  ],

  ["Failure_LockHash_Invalid_Mosaic_Amount", "a wrong deposit", by("alice", hashLock({ amount: 1n }))],
  [
    "Failure_LockHash_Invalid_Mosaic_Id",
    "another mosaic as deposit",
    by("alice", hashLock({ mosaicId: mosaicOf("alice", 1) })),
  ],
  ["Failure_LockHash_Invalid_Duration", "a deposit for ever", by("alice", hashLock({ duration: 10n ** 9n }))],
  ["Failure_LockHash_Hash_Already_Exists", "a second deposit", by("alice", hashLock({}))],
  ["Failure_LockHash_Unknown_Hash", "a bonded aggregate without deposit", bonded],
  [
    "Failure_LockSecret_Invalid_Duration",
    "a secret lock for ever",
    by("alice", secretLock("new", { duration: 10n ** 9n })),
  ],
  ["Failure_LockSecret_Hash_Already_Exists", "the same secret again", by("alice", secretLock("open"))],
  [
    "Failure_LockSecret_Secret_Mismatch",
    "a wrong proof",
    by("bob", { ...secretProof("open"), proof: Buffer.from("wrong") }),
  ],
  ["Failure_LockSecret_Proof_Size_Out_Of_Bounds", "a long proof", by("bob", secretProof("x".repeat(1001)))],
  ["Failure_LockSecret_Unknown_Composite_Key", "a proof of no lock", by("bob", secretProof("unknown"))],
  ["Failure_LockSecret_Inactive_Secret", "a proof again", by("bob", secretProof("used"))],
  [
    "Failure_LockSecret_Hash_Algorithm_Mismatch",
    "a proof by another hash",
    by("bob", { ...secretProof("odd"), hashAlgorithm: "hash_256", secret: doubleSha256("odd") }),
  ],

  [
    "Failure_Aggregate_Ineligible_Cosignatories",
    "a cosigner without a part",
    (c) => c.aggregate("alice", [c.embedded("alice", transfer("bob"))], ["carol"]),
  ],
  [
    "Failure_Aggregate_Missing_Cosignatures",
    "a signer who did not sign",
    (c) => c.aggregate("alice", [c.embedded("alice", transfer("bob")), c.embedded("bob", transfer("alice"))]),
  ],
  [
    "Failure_Aggregate_Missing_Cosignatures",
    "metadata without the target's consent",
    (c) => c.aggregate("alice", [c.embedded("alice", metadata("bob", "hello"))]),
  ],
  [
    "Failure_Aggregate_Missing_Cosignatures",
    "too few cosigners of a multisig",
    (c) => c.aggregate("carol", [c.embedded("multisig", transfer("bob"))]),
  ],
  [
    "Failure_Aggregate_Transactions_Hash_Mismatch",
    "a wrong hash",
    (c) => c.aggregate("alice", [c.embedded("alice", transfer("bob"))], [], { transactionsHash: new Uint8Array(32) }),
  ],
  [
    "Failure_Aggregate_V1_Prohibited",
    "an aggregate of version 1",
    (c) =>
      c.aggregate("alice", [c.embedded("alice", transfer("bob"))], [], { type: "aggregate_complete_transaction_v1" }),
  ],
  [
    "Failure_Core_Invalid_Version",
    "an aggregate of version 3",
    (c) =>
      c.aggregate("alice", [c.embedded("alice", transfer("bob"))], [], { type: "aggregate_complete_transaction_v3" }),
  ],
  ["Failure_Aggregate_No_Transactions", "an empty aggregate", (c) => c.aggregate("alice", [])],
  [
    "Failure_Aggregate_Too_Many_Transactions",
    "four transactions",
    (c) =>
      c.aggregate(
        "alice",
        [1, 2, 3, 4].map(() => c.embedded("alice", transfer("bob"))),
      ),
  ],
  [
    "Failure_Aggregate_Too_Many_Cosignatures",
    "three cosigners",
    (c) => c.aggregate("alice", [c.embedded("alice", transfer("bob"))], ["bob", "carol", "dave"]),
  ],
  [
    "Failure_Aggregate_Redundant_Cosignatures",
    "a cosigner twice",
    (c) => c.aggregate("alice", [c.embedded("bob", transfer("alice"))], ["bob", "bob"]),
  ],

  ["Failure_Multisig_Operation_Prohibited_By_Account", "a multisig account alone", by("multisig", transfer("bob"))],
  [
    "Failure_Multisig_Min_Setting_Out_Of_Range",
    "no approval needed",
    (c) => modify(c, "alice", ["bob"], [], 0, 0, ["alice", "bob"]),
  ],
  [
    "Failure_Multisig_Min_Setting_Larger_Than_Num_Cosignatories",
    "too much approval",
    (c) => modify(c, "alice", ["bob"], [], 2, 1, ["alice", "bob"]),
  ],
  [
    "Failure_Multisig_Max_Cosignatories",
    "a third cosignatory",
    (c) => modify(c, "multisig", ["alice"], [], 0, 0, ["carol", "dave", "alice"]),
  ],
  [
    "Failure_Multisig_Already_A_Cosignatory",
    "a cosignatory again",
    (c) => modify(c, "multisig", ["dave"], ["carol"], 0, 0, ["carol", "dave"]),
  ],
  [
    "Failure_Multisig_Not_A_Cosignatory",
    "removing a stranger",
    (c) => modify(c, "multisig", [], ["bob"], 0, 0, ["carol", "dave"]),
  ],
  [
    "Failure_Multisig_Max_Cosignatories",
    "removing from no multisig, which leaves fewer than none",
    (c) => modify(c, "alice", [], ["bob"], 0, 0),
  ],
  [
    "Failure_Multisig_Unknown_Multisig_Account",
    "replacing a cosignatory of no multisig",
    (c) => modify(c, "alice", ["carol"], ["bob"], 0, 0, ["alice", "carol"]),
  ],
  [
    "Failure_Multisig_Multiple_Deletes",
    "removing two at once",
    (c) => modify(c, "multisig", [], ["carol", "dave"], 0, 0, ["carol", "dave"]),
  ],
  [
    "Failure_Multisig_Account_In_Both_Sets",
    "adding and removing",
    (c) => modify(c, "multisig", ["carol"], ["carol"], 0, 0, ["carol", "dave"]),
  ],
  [
    "Failure_Multisig_Loop",
    "a multisig that signs for its cosignatory",
    (c) => modify(c, "carol", ["multisig"], [], 1, 1, ["carol", "dave"]),
  ],

  [
    "Failure_RestrictionAccount_Address_Interaction_Prohibited",
    "a recipient who blocks",
    by("bob", transfer("hermit")),
  ],
  ["Failure_RestrictionAccount_Address_Interaction_Prohibited", "a blocked recipient", by("hermit", transfer("carol"))],
  [
    "Failure_RestrictionAccount_Mosaic_Transfer_Prohibited",
    "a mosaic not allowed",
    by("alice", transfer("hermit", [[mosaicOf("alice", 1), 1n]])),
  ],
  [
    "Failure_RestrictionAccount_Operation_Type_Prohibited",
    "a blocked type",
    by("hermit", mosaicDefinition("hermit", 1)),
  ],
  [
    "Failure_RestrictionAccount_Redundant_Modification",
    "a value twice",
    by("alice", addressRestriction(["address", "block"], ["bob", "bob"])),
  ],
  [
    "Failure_RestrictionAccount_Invalid_Modification",
    "a value again",
    by("hermit", addressRestriction(["address", "block"], ["bob"])),
  ],
  [
    "Failure_RestrictionAccount_Invalid_Modification",
    "allowing beside blocking",
    by("hermit", addressRestriction(["address"], ["dave"])),
  ],
  [
    "Failure_RestrictionAccount_Invalid_Modification",
    "removing a missing entry",
    by("alice", addressRestriction(["address", "block"], [], ["bob"])),
  ],
  [
    "Failure_RestrictionAccount_Invalid_Modification_Address",
    "blocking oneself",
    by("alice", addressRestriction(["address", "block"], ["alice"])),
  ],
  [
    "Failure_RestrictionAccount_Modification_Count_Exceeded",
    "four values",
    by("alice", addressRestriction(["address"], ["a", "b", "c", "d"])),
  ],
  [
    "Failure_RestrictionAccount_Values_Count_Exceeded",
    "a fourth value",
    by("hermit", addressRestriction(["address", "block"], ["x", "y", "z"])),
  ],
  [
    "Failure_RestrictionAccount_Invalid_Restriction_Flags",
    "outgoing mosaics",
    by("alice", mosaicListing(["mosaic_id", "outgoing"], [CURRENCY])),
  ],
  [
    "Failure_RestrictionAccount_Invalid_Modification",
    "blocking the means to unblock",
    by("alice", operationRestriction(["transaction_type", "outgoing", "block"], ["account_operation_restriction"])),
  ],
  [
    "Failure_RestrictionAccount_Invalid_Value",
    "a type of blocks",
    by("alice", operationRestriction(["transaction_type", "outgoing", "block"], [0x8043])),
  ],

  [
    "Failure_RestrictionMosaic_Account_Unauthorized",
    "a recipient without the value",
    by("alice", transfer("bob", [[mosaicOf("alice", 4), 1n]])),
  ],
  [
    "Failure_RestrictionMosaic_Previous_Value_Must_Be_Zero",
    "a wrong previous rule",
    by("alice", globalRestriction(0x2222n, { previousRestrictionValue: 5n })),
  ],
  [
    "Failure_RestrictionMosaic_Previous_Value_Mismatch",
    "an outdated rule",
    by("alice", globalRestriction(RULE, { newRestrictionValue: 2n })),
  ],
  [
    "Failure_RestrictionMosaic_Unknown_Global_Restriction",
    "a value without rule",
    by("alice", addressValue("bob", 0x2222n)),
  ],
  [
    "Failure_Core_Invalid_Address",
    "a value for zeros",
    by("alice", { ...addressValue("bob", RULE), targetAddress: new Uint8Array(24) }),
  ],
  [
    "Failure_RestrictionMosaic_Cannot_Delete_Nonexistent_Restriction",
    "removing no rule",
    by("alice", globalRestriction(0x2222n, { newRestrictionValue: 0n, newRestrictionType: "none" })),
  ],
  [
    "Failure_Mosaic_Required_Property_Flag_Unset",
    "restricting an unrestrictable one",
    by("alice", { ...globalRestriction(RULE), mosaicId: mosaicOf("alice", 1) }),
  ],
];

/** A chain with accounts, mosaics, namespaces, locks and restrictions of all kinds. */
export function chainWithEverything(): TestChain {
  const chain = new TestChain(["alice", "bob", "carol", "dave", "hermit", "multisig"]);
  const send = (signer: string, ...descriptors: readonly Descriptor[]) =>
    chain.mine(...descriptors.map((descriptor) => chain.transaction(signer, descriptor)));
  send("alice", vrfLink("vrf", "link"), votingLink(1, 100), nodeLink("node", "link"), accountLink("remote", "link"));
  for (const [nonce, flags] of [
    [1, "supply_mutable transferable revokable"],
    [2, "none"],
    [3, "transferable"],
    [4, "transferable restrictable"],
    [5, "transferable supply_mutable"],
    [6, "transferable supply_mutable"],
    [7, "transferable supply_mutable"],
  ] as const) {
    send("alice", mosaicDefinition("alice", nonce, { flags }));
    if (nonce !== 3) send("alice", supplyChange(mosaicOf("alice", nonce), 1000n));
  }
  send("alice", transfer("bob", [[mosaicOf("alice", 1), 10n]]), transfer("bob", [[mosaicOf("alice", 2), 10n]]));
  send("alice", rootNamespace("house", 100n));
  send("alice", childNamespace("house", "door"), childNamespace("house", "wall"), addressAlias("house", "bob", "link"));
  send(
    "alice",
    hashLock({}),
    secretLock("open"),
    secretLock("used"),
    secretLock("odd", { secret: doubleSha256("odd") }),
  );
  send("bob", secretProof("used"));
  chain.mine(modify(chain, "multisig", ["carol", "dave"], [], 2, 2, ["multisig", "carol", "dave"]));
  send(
    "hermit",
    addressRestriction(["address", "block"], ["bob"]),
    addressRestriction(["address", "outgoing", "block"], ["carol"]),
  );
  send(
    "hermit",
    mosaicListing(["mosaic_id"], [CURRENCY]),
    operationRestriction(["transaction_type", "outgoing", "block"], ["mosaic_definition"]),
  );
  send("alice", globalRestriction(RULE), addressValue("alice", RULE), addressValue("dave", RULE));
  return chain;
}

/** A transaction of this account. */
export function by(signer: string, descriptor: Descriptor): Build {
  return (chain) => chain.transaction(signer, descriptor);
}
