import { namespaceIdOf } from "../support/namespace-ids.js";
import type { ScenarioStage } from "./scenario.js";
import type { Cast } from "./scenario-cast.js";
import {
  addressAlias,
  addressValue,
  childNamespace,
  globalRestriction,
  metadata,
  mosaicAlias,
  revocation,
  rootNamespace,
} from "./state-descriptors.js";
import { addressOf, aliasOf, type Descriptor, mosaicDefinition, mosaicOf, supplyChange } from "./state-test-chain.js";

const EVERY_FLAG = "supply_mutable transferable restrictable revokable";
const RULE = 0x1111n;

/** The mosaics of the scenario, all of `issuer`: with every flag, expiring, fixed, restricted by the first one's rules. */
export const MOSAICS = {
  free: mosaicOf("issuer", 1),
  expiring: mosaicOf("issuer", 2),
  fixed: mosaicOf("issuer", 3),
  referring: mosaicOf("issuer", 4),
} as const;

/** Number of blocks after which the expiring mosaic and namespace are gone, the latter's grace period included. */
export const EXPIRY_BLOCKS = { mosaic: 6, namespace: 3 } as const;

/** Transfers, and everything about mosaics, namespaces and metadata. */
export function assetStages(cast: Cast): readonly ScenarioStage[] {
  return [
    transfers(cast),
    mosaics(cast),
    namespaces(cast),
    aliases(cast),
    metadataEntries(cast),
    restrictions(cast),
    removals(cast),
  ];
}

function transfers(cast: Cast): ScenarioStage {
  const { currency } = cast;
  const encrypted = Buffer.concat([Buffer.of(1), Buffer.alloc(60, 0xee)]);
  return {
    title: "transfers",
    steps: cast.steps([
      ["transfer", "issuer", cast.transfer("buyer")],
      ["transfer empty", "issuer", cast.transfer("buyer", [])],
      ["transfer msg only", "issuer", cast.transfer("buyer", [], "\0hello")],
      ["transfer+msg", "issuer", cast.transfer("buyer", [[currency, 2n]], "\0hello")],
      ["transfer encrypted", "issuer", cast.transfer("buyer", [], new Uint8Array(encrypted))],
      ["transfer max msg", "issuer", cast.transfer("buyer", [], new Uint8Array(1024).fill(65))],
      ["transfer alias mosaic", "issuer", cast.transfer("buyer", [[namespaceIdOf("symbol.xym"), 3n]])],
      ["transfer alias address", "issuer", cast.transfer(aliasOf("devnet.alice"), [[currency, 4n]])],
      ["inv: insufficient", "issuer", all(cast), "Failure_Core_Insufficient_Balance"],
      ["inv: unfunded signer", "nobody", cast.transfer("buyer"), "Failure_Core_Insufficient_Balance"],
      ["inv: unknown mosaic", "issuer", cast.transfer("buyer", [[99n, 1n]]), "Failure_Core_Insufficient_Balance"],
      ["inv: bad recipient", "issuer", cast.transfer(wrongAddress(cast)), "Failure_Core_Invalid_Address"],
      [
        "inv: message too large",
        "issuer",
        cast.transfer("buyer", [], new Uint8Array(1025)),
        "Failure_Transfer_Message_Too_Large",
      ],
      ["inv: past deadline", "issuer", cast.transfer("buyer"), "Failure_Core_Past_Deadline", { deadlineSeconds: -60 }],
      [
        "inv: far deadline",
        "issuer",
        cast.transfer("buyer"),
        "Failure_Core_Future_Deadline",
        { deadlineSeconds: 7 * 3600 },
      ],
      [
        "inv: signature",
        "issuer",
        cast.transfer("buyer"),
        "Failure_Consumer_Batch_Signature_Not_Verifiable",
        { tamper: (payload) => payload.writeUInt8(payload.readUInt8(20) ^ 1, 20) },
      ],
    ]),
  };
}

function mosaics(cast: Cast): ScenarioStage {
  const { free, expiring, fixed, referring } = MOSAICS;
  const { currency } = cast;
  const define = (nonce: number, change: Record<string, unknown>) => mosaicDefinition("issuer", nonce, change);
  return {
    title: "mosaics",
    steps: cast.steps([
      ["mosaic def", "issuer", define(1, { flags: EVERY_FLAG, divisibility: 2 })],
      ["mosaic supply+", "issuer", supplyChange(free, 1_000_000n)],
      ["mosaic supply-", "issuer", supplyChange(free, 1000n, "decrease")],
      ["mosaic def expiring", "issuer", define(2, { duration: BigInt(EXPIRY_BLOCKS.mosaic) })],
      ["mosaic supply+ expiring", "issuer", supplyChange(expiring, 1000n)],
      ["mosaic def fixed", "issuer", define(3, { flags: "transferable" })],
      ["mosaic supply+ immutable", "issuer", supplyChange(fixed, 1000n)],
      ["mosaic def referring", "issuer", define(4, { flags: EVERY_FLAG })],
      ["mosaic supply+ referring", "issuer", supplyChange(referring, 1000n)],
      ["transfer new mosaic", "issuer", cast.transfer("buyer", [[free, 100n]])],
      ["transfer fixed mosaic", "issuer", cast.transfer("buyer", [[fixed, 10n]])],
      ["transfer expiring", "issuer", cast.transfer("buyer", [[expiring, 10n]])],
      ["transfer+2mosaics", "issuer", cast.transfer("buyer", inOrder([currency, 1n], [free, 5n]))],
      ["mosaic revoke", "issuer", { ...revocation(free), sourceAddress: addressOf("buyer") }],
      ["mosaic supply immutable", "issuer", supplyChange(fixed, 1n), "Failure_Mosaic_Supply_Immutable"],
      ["inv: not owner", "buyer", supplyChange(free, 1n), "Failure_Mosaic_Owner_Conflict"],
      ["inv: divisibility", "issuer", define(9, { divisibility: 7 }), "Failure_Mosaic_Invalid_Divisibility"],
    ]),
  };
}

function namespaces(cast: Cast): ScenarioStage {
  return {
    title: "namespaces",
    steps: cast.steps([
      ["ns root", "issuer", rootNamespace("house", 100n)],
      ["ns child", "issuer", childNamespace("house", "hall")],
      ["ns grandchild", "issuer", childNamespace("house.hall", "door")],
      ["ns root extend", "issuer", rootNamespace("house", 50n)],
      ["ns root expiring", "issuer", rootNamespace("brief", BigInt(EXPIRY_BLOCKS.namespace))],
      ["ns child duplicate", "issuer", childNamespace("house", "hall"), "Failure_Namespace_Already_Exists"],
      ["inv: ns duration", "issuer", rootNamespace("long", 10n ** 12n), "Failure_Namespace_Invalid_Duration"],
      ["inv: bad ns name", "issuer", rootNamespace("BAD name", 100n), "Failure_Namespace_Invalid_Name"],
      ["inv: reserved ns", "issuer", rootNamespace("xem", 100n), "Failure_Namespace_Root_Name_Reserved"],
    ]),
  };
}

function aliases(cast: Cast): ScenarioStage {
  const hall = namespaceIdOf("house.hall");
  const door = aliasOf("house.hall.door");
  return {
    title: "aliases",
    steps: cast.steps([
      ["mosaic alias link", "issuer", mosaicAlias("house.hall", MOSAICS.free, "link")],
      ["address alias link", "issuer", addressAlias("house.hall.door", "buyer", "link")],
      ["mosaic supply via alias", "issuer", supplyChange(hall, 10n)],
      ["transfer alias mosaic ns", "issuer", cast.transfer("buyer", [[hall, 1n]])],
      cast.together("agg with aliases", [
        ["issuer", cast.transfer(door, [[hall, 2n]])],
        ["issuer", cast.transfer(door, [[cast.currency, 2n]])],
      ]),
    ]),
  };
}

function metadataEntries(cast: Cast): ScenarioStage {
  const onNamespace = (value: string): Descriptor => ({
    ...metadata("issuer", value),
    type: "namespace_metadata_transaction_v1",
    targetNamespaceId: namespaceIdOf("house"),
  });
  const onMosaic = (value: string): Descriptor => ({
    ...metadata("issuer", value),
    type: "mosaic_metadata_transaction_v1",
    targetMosaicId: MOSAICS.free,
  });
  return {
    title: "metadata",
    steps: cast.steps([
      cast.together("agg account metadata self", [["issuer", metadata("issuer", "mine")]]),
      cast.together("agg account metadata other", [["issuer", metadata("buyer", "yours")]], { cosigners: ["buyer"] }),
      cast.together("agg ns+mosaic metadata", [
        ["issuer", onNamespace("of a name")],
        ["issuer", onMosaic("of a mosaic")],
      ]),
      cast.together(
        "agg account metadata no cosig",
        [["issuer", metadata("buyer", "unasked")]],
        {},
        "Failure_Aggregate_Missing_Cosignatures",
      ),
    ]),
  };
}

function restrictions(cast: Cast): ScenarioStage {
  const { free, referring } = MOSAICS;
  const rule = (change: Record<string, unknown>) => globalRestriction(RULE, { mosaicId: free, ...change });
  const value = (name: string, change: Record<string, unknown> = {}) => ({
    ...addressValue(name, RULE),
    mosaicId: free,
    ...change,
  });
  const reference = { mosaicId: referring, referenceMosaicId: free, newRestrictionValue: 2n };
  return {
    title: "mosaic restrictions",
    steps: cast.steps([
      ["mosaic global restr", "issuer", rule({})],
      ["mosaic addr restr", "issuer", value("issuer")],
      ["mosaic addr restr buyer", "issuer", value("buyer")],
      ["transfer restricted ok", "issuer", cast.transfer("buyer", [[free, 1n]])],
      [
        "transfer restricted addr fail",
        "issuer",
        cast.transfer("carol", [[free, 1n]]),
        "Failure_RestrictionMosaic_Account_Unauthorized",
      ],
      [
        "mosaic global restr mod",
        "issuer",
        rule({ previousRestrictionValue: 1n, previousRestrictionType: "eq", newRestrictionValue: 2n }),
      ],
      ["mosaic addr restr mod", "issuer", value("issuer", { previousRestrictionValue: 1n, newRestrictionValue: 2n })],
      [
        "transfer restricted fail",
        "issuer",
        cast.transfer("buyer", [[free, 1n]]),
        "Failure_RestrictionMosaic_Account_Unauthorized",
      ],
      ["mosaic global restr ref", "issuer", globalRestriction(RULE, reference)],
    ]),
  };
}

function removals(cast: Cast): ScenarioStage {
  // the difference to the previous value is written: "mine" becomes "mind", and "yours" nothing
  const change = { ...metadata("issuer", "mind"), valueSizeDelta: 0, value: difference("mine", "mind") };
  const removal = { ...metadata("buyer", "yours"), valueSizeDelta: -5 };
  return {
    title: "what goes away again",
    steps: cast.steps([
      ["mosaic alias unlink", "issuer", mosaicAlias("house.hall", MOSAICS.free, "unlink")],
      ["address alias unlink", "issuer", addressAlias("house.hall.door", "buyer", "unlink")],
      [
        "transfer to a name without account",
        "issuer",
        cast.transfer(aliasOf("house.hall.door")),
        "Failure_Core_Invalid_Address",
      ],
      cast.together("agg account metadata changed", [["issuer", change]]),
      cast.together("agg account metadata removed", [["issuer", removal]], { cosigners: ["buyer"] }),
    ]),
  };
}

/** Exclusive or of two texts of the same length. */
function difference(left: string, right: string): Uint8Array {
  return Uint8Array.from(Buffer.from(left), (byte, index) => byte ^ right.charCodeAt(index));
}

function wrongAddress(cast: Cast): Buffer {
  const address = Buffer.from(cast.party("buyer").address);
  address.writeUInt8(address.readUInt8(23) ^ 1, 23);
  return address;
}

function all(cast: Cast): Descriptor {
  return cast.transfer("buyer", [[cast.currency, 8_000_000_000_000_000n]]);
}

function inOrder(...mosaics: (readonly [bigint, bigint])[]): readonly (readonly [bigint, bigint])[] {
  return mosaics.sort(([left], [right]) => (left < right ? -1 : 1));
}
