import { generateMosaicId, generateNamespaceId } from "../../catapult/entity/generated-id.js";
import { transferContent } from "../../catapult/entity/transaction-writer.js";
import { RESTRICTION_FLAG } from "../../catapult/state/account-restriction.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { REMOVED_VALUE } from "../../ledger/tables/mosaic-restrictions.js";
import { MosaicFlag } from "../../ledger/tables/mosaics.js";
import { contentOf, integer } from "./transaction-content.js";
import type { Draw, WalkCast } from "./walk-cast.js";
import type { Party } from "./walk-network.js";

/** Few, so that a root that ended is registered again, by its owner or by another. */
const ROOT_NAMES = 40;
/** The one reserved byte of a transfer that a node does not check. */
const UNCHECKED_BYTE = 30;

export function drawTransfer(cast: WalkCast): Draw {
  const signer = cast.account();
  const recipient = cast.address();
  if (cast.chance(12)) return { signer, content: toLimit(cast, signer, recipient) };
  const ids = [...new Set(Array.from({ length: cast.random.below(4) }, () => cast.mosaicId(signer)))];
  const mosaics = ids.map((mosaicId) => ({ mosaicId, amount: BigInt(cast.between(cast.chance(3) ? 0 : 1, 900)) }));
  const message = cast.bytes(cast.chance(2) ? cast.between(1023, 1025) : cast.random.below(40));
  const content = transferContent(recipient, mosaics, message);
  if (cast.chance(1)) content.body[UNCHECKED_BYTE] = 5;
  return { signer, content };
}

/** An amount that moves the signer or the recipient to a balance that counts, or an atomic unit beside it. */
function toLimit(cast: WalkCast, signer: Party, recipient: Buffer) {
  const { harvestingMosaicId, config } = cast.network;
  const limit = cast.pick([config.minHarvesterBalance, config.minHarvesterBalance, config.minVoterBalance]);
  const other = cast.partyOf(recipient);
  const missing =
    other && cast.chance(50)
      ? limit - cast.balance(other, harvestingMosaicId)
      : cast.balance(signer, harvestingMosaicId) - limit;
  const amount = missing + BigInt(cast.between(-1, 1));
  const mosaics = [{ mosaicId: harvestingMosaicId, amount: amount > 0n ? amount : 1n }];
  return transferContent(recipient, mosaics, Buffer.alloc(0));
}

export function drawNamespace(cast: WalkCast): Draw {
  const parent = cast.namespace();
  if (parent && parent.depth < (cast.chance(95) ? 3 : 4) && cast.chance(40)) {
    const name = Buffer.from(`c${cast.random.below(10)}`);
    const id = generateNamespaceId(name, parent.id) ^ (cast.chance(2) ? 1n : 0n);
    const owner = cast.ownerOf(parent);
    if (!cast.namespaces.some((known) => known.id === id))
      cast.remember(cast.namespaces, { id, owner, depth: parent.depth + 1 });
    return {
      signer: owner,
      content: contentOf("namespace_registration", { durationOrParentId: parent.id, id, registrationType: 1, name }),
    };
  }
  const name = Buffer.from(cast.chance(2) ? "xem" : `root${cast.random.below(ROOT_NAMES)}`);
  const id = generateNamespaceId(name);
  const root = cast.tables.namespaces.rootOf(id);
  const owner = (root && cast.chance(80) ? cast.partyOf(root.ownerAddress) : undefined) ?? cast.account();
  if (!cast.namespaces.some((known) => known.id === id)) cast.remember(cast.namespaces, { id, owner, depth: 1 });
  const min = Number(cast.network.config.namespace.minDuration);
  const duration = BigInt(cast.chance(90) ? cast.between(min, min + 8) : cast.between(min - 1, min + 400));
  return { signer: owner, content: contentOf("namespace_registration", { durationOrParentId: duration, id, name }) };
}

export function drawAlias(cast: WalkCast): Draw | undefined {
  const namespace = cast.namespace();
  if (!namespace) return undefined;
  const signer = cast.ownerOf(namespace);
  const alias = cast.tables.namespaces.findAlias(namespace.id);
  const addressAlias = (address: Buffer, aliasAction: number) =>
    contentOf("address_alias", { namespaceId: namespace.id, address, aliasAction });
  const mosaicAlias = (mosaicId: bigint, aliasAction: number) =>
    contentOf("mosaic_alias", { namespaceId: namespace.id, mosaicId, aliasAction });
  if (alias.kind === "address" && cast.chance(90)) return { signer, content: addressAlias(alias.address, 0) };
  if (alias.kind === "mosaic" && cast.chance(90)) return { signer, content: mosaicAlias(alias.mosaicId, 0) };
  // A mosaic can be named by its owner only.
  const own = cast.mosaics.filter(({ owner, id }) => owner === signer && cast.tables.mosaics.get(id));
  const mosaic = cast.recent(own) ?? cast.mosaic();
  const action = cast.chance(97) ? 1 : 0;
  if (!mosaic || cast.chance(own.length > 0 ? 30 : 90))
    return { signer, content: addressAlias(cast.account().address, action) };
  return { signer, content: mosaicAlias(mosaic.id, action) };
}

export function drawMosaic(cast: WalkCast, height: number): Draw {
  const old = cast.recent(cast.mosaics);
  const again = old && cast.chance(20) ? old : undefined;
  const owner = again?.owner ?? cast.account();
  const nonce = again?.nonce ?? cast.random.below(1_000_000);
  const id = generateMosaicId(owner.address, nonce);
  if (!again) cast.remember(cast.mosaics, { id, owner, nonce });
  const duration = BigInt(cast.chance(60) ? 0 : cast.between(3, 50));
  const isRevokableKnown = height >= cast.network.config.forkHeights.treasuryReissuance;
  const flags = cast.random.below(cast.chance(97) ? (isRevokableKnown ? 16 : 8) : 20);
  const terms = { id, duration, nonce, flags, divisibility: cast.random.below(7) };
  return { signer: owner, content: contentOf("mosaic_definition", terms) };
}

export function drawSupply(cast: WalkCast): Draw | undefined {
  const mosaic = cast.mosaic();
  if (!mosaic) return undefined;
  const signer = cast.ownerOf(mosaic);
  const own = cast.balance(mosaic.owner, mosaic.id);
  const max = cast.network.config.maxMosaicAtomicUnits;
  const supply = cast.tables.mosaics.get(mosaic.id)?.supply ?? 0n;
  const isDecrease = own > 0n && cast.chance(30);
  const delta = isDecrease
    ? cast.pick([own, own + 1n, 1n])
    : cast.pick([BigInt(cast.between(1, 1_000_000)), 5000n, 77n, max - supply, max - supply + 1n]);
  return {
    signer,
    content: contentOf("mosaic_supply_change", { mosaicId: cast.idOf(mosaic), delta, action: isDecrease ? 0 : 1 }),
  };
}

export function drawRevocation(cast: WalkCast): Draw | undefined {
  const mosaic = cast.mosaic((flags) => (flags & MosaicFlag.revokable) > 0);
  if (!mosaic) return undefined;
  const holders = cast.accounts.filter((party) => cast.balance(party, mosaic.id) > 0n);
  const holder = holders.length > 0 ? cast.pick(holders) : cast.account();
  const amount = cast.pick([1n, 10n, cast.balance(holder, mosaic.id)]);
  const content = contentOf("mosaic_supply_revocation", {
    sourceAddress: cast.chance(85) ? holder.address : cast.address(),
    mosaicId: cast.idOf(mosaic),
    amount,
  });
  return { signer: cast.ownerOf(mosaic), content };
}

/** A list of an account: of addresses, mosaics or types; values of an existing list are mostly removed. */
export function drawAccountRestriction(cast: WalkCast): Draw {
  const signer = cast.account();
  const { address, mosaicId, transactionType, outgoing, block } = RESTRICTION_FLAG;
  const subject = cast.pick([address, mosaicId, transactionType | outgoing, address | outgoing]);
  const list = cast.tables.accountRestrictions.get(signer.address, subject);
  const isBlock = list ? (list.flags & block) > 0 !== cast.chance(4) : cast.chance(92);
  const flags = subject | (isBlock ? block : 0);
  const deletions = list && cast.chance(75) ? cast.some([...list.values], cast.between(1, 3)) : [];
  const count = cast.chance(4) ? 0 : cast.between(deletions.length > 0 ? 0 : 1, cast.chance(4) ? 9 : 2);
  const values = Array.from({ length: count }, () => {
    if (subject & address) return cast.chance(50) ? cast.address() : cast.account().address;
    return subject & mosaicId ? integer(8, cast.mosaicId()) : integer(2, cast.pick(Object.values(TRANSACTION_TYPE)));
  });
  const distinct = [...new Map(values.map((value) => [value.toString("hex"), value])).values()];
  const kind =
    subject & address
      ? "account_address_restriction"
      : subject & mosaicId
        ? "account_mosaic_restriction"
        : "account_operation_restriction";
  const content = contentOf(kind, {
    restrictionFlags: flags,
    restrictionAdditions: cast.chance(96) ? distinct : values,
    restrictionDeletions: deletions,
  });
  return { signer, content };
}

export function drawMosaicRestriction(cast: WalkCast): Draw | undefined {
  const { mosaicRestrictions } = cast.tables;
  const mosaic = cast.mosaic((flags) => (flags & MosaicFlag.restrictable) > 0);
  if (!mosaic) return undefined;
  const signer = cast.ownerOf(mosaic);
  const key = BigInt(cast.random.below(cast.chance(90) ? 3 : 7));
  const rule = mosaicRestrictions.rules(mosaic.id)?.find((one) => one.key === key)?.restriction;
  const mosaicId = cast.idOf(mosaic);
  if (!rule || cast.chance(40)) {
    const isRemoval = rule !== undefined && cast.chance(40);
    const content = contentOf("mosaic_global_restriction", {
      mosaicId,
      referenceMosaicId: cast.chance(75) ? 0n : (cast.mosaic()?.id ?? 0n),
      restrictionKey: key,
      previousRestrictionValue: rule?.restrictionValue ?? 0n,
      previousRestrictionType: rule?.restrictionType ?? 0,
      newRestrictionValue: isRemoval ? 0n : BigInt(cast.random.below(3)),
      newRestrictionType: isRemoval ? 0 : cast.between(1, 6),
    });
    return { signer, content };
  }
  const target = cast.account();
  const known = mosaicRestrictions.values(mosaic.id, target.address)?.find((one) => one.key === key);
  const content = contentOf("mosaic_address_restriction", {
    mosaicId,
    restrictionKey: key,
    previousRestrictionValue: known?.value ?? REMOVED_VALUE,
    newRestrictionValue: cast.chance(20) ? REMOVED_VALUE : BigInt(cast.random.below(3)),
    targetAddress: cast.chance(85) ? target.address : cast.address(),
  });
  return { signer, content };
}
