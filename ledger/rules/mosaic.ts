import type { FailureName } from "../../catapult/announcement/status-code.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import type { MosaicState } from "../../catapult/state/mosaic.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { addressAt, inflationAt } from "../config/network-config.js";
import { balanceOf } from "../tables/accounts.js";
import { isMosaicActive, MosaicFlag } from "../tables/mosaics.js";
import type { Publishers, RuleBook, ValidationContext } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;

/** Mosaics and their supply (catapult `plugins/txes/mosaic`). */
export function addMosaicRules(rules: RuleBook) {
  addDefinitionRules(rules);
  addSupplyRules(rules);

  rules.stateful("mosaicRequired", ({ owner, mosaicId, flags, isResolved = false }, context) => {
    const mosaic = context.tables.mosaics.get(isResolved ? mosaicId : context.resolveMosaic(mosaicId));
    const failure = checkActive(mosaic, context) ?? checkOwner(mosaic, context.resolveAddress(owner));
    if (failure) return failure;
    const hasFlags = ((mosaic?.flags ?? 0) & flags) === flags;
    return hasFlags ? undefined : "Failure_Mosaic_Required_Property_Flag_Unset";
  });
  rules.stateful("balanceTransfer", ({ sender, recipient, mosaicId }, context) => {
    if (mosaicId === context.config.currencyMosaicId) return undefined;
    const mosaic = context.tables.mosaics.get(context.resolveMosaic(mosaicId));
    const failure = checkActive(mosaic, context);
    if (failure || !mosaic) return failure;
    if (mosaic.flags & MosaicFlag.transferable) return undefined;
    const isOwnerParty = [sender, recipient].some((address) =>
      mosaic.ownerAddress.equals(context.resolveAddress(address)),
    );
    return isOwnerParty ? undefined : "Failure_Mosaic_Non_Transferable";
  });
  rules.stateful("balanceTransfer", ({ recipient, mosaicId, amount }, context) =>
    amount === 0n ? undefined : checkMosaicCount(context.resolveAddress(recipient), mosaicId, context),
  );

  rules.observe("block", (_, { tables, config, height, statement }) => {
    const inflation = inflationAt(config.inflation, height);
    if (inflation > 0n) tables.mosaics.changeSupply(config.currencyMosaicId, inflation);
    for (const id of tables.mosaics.expiringAt(height)) statement.addArtifactExpiry(RECEIPT_TYPE.mosaic_expired, id);
  });
  return publishers(rules);
}

function publishers({ config }: RuleBook) {
  return {
    mosaic_definition: (definition, { signerAddress: owner, signerPublicKey, height }, notify) => {
      const recipient = addressAt(config.mosaic.rentalFeeSink, height);
      notify({ kind: "accountAddress", address: recipient });
      if (!signerPublicKey.equals(config.nemesisSignerPublicKey)) {
        const fee = { sender: owner, recipient, mosaicId: config.currencyMosaicId, amount: config.mosaic.rentalFee };
        notify({ kind: "balanceTransfer", ...fee, isDynamic: true });
        notify({ kind: "rentalFee", receiptType: RECEIPT_TYPE.mosaic_rental_fee, ...fee });
      }
      const { id: mosaicId, nonce, flags, divisibility, duration } = definition;
      notify({ kind: "mosaicNonce", owner, nonce, mosaicId });
      notify({ kind: "mosaicFlags", flags });
      notify({ kind: "mosaicDefinition", owner, mosaicId, flags, divisibility, duration });
    },
    mosaic_supply_change: ({ mosaicId, action, delta }, { signerAddress: owner }, notify) => {
      notify({ kind: "mosaicRequired", owner, mosaicId, flags: 0 });
      notify({ kind: "mosaicSupplyChange", owner, mosaicId, action, delta });
    },
    mosaic_supply_revocation: (revocation, { signerAddress: owner, signerPublicKey }, notify) => {
      const isNemesis = signerPublicKey.equals(config.nemesisSignerPublicKey);
      const { mosaicId, amount } = revocation;
      const source = bytesOf(revocation.sourceAddress);
      notify({ kind: "mosaicRequired", owner, mosaicId, flags: isNemesis ? 0 : MosaicFlag.revokable });
      notify({ kind: "accountAddress", address: source });
      notify({ kind: "balanceTransfer", sender: source, recipient: owner, mosaicId, amount, isDynamic: false });
    },
  } satisfies Partial<Publishers>;
}

function addDefinitionRules(rules: RuleBook): void {
  rules.stateless("mosaicNonce", ({ owner, nonce, mosaicId }) => {
    if (mosaicId === 0n) return "Failure_Mosaic_Invalid_Id";
    return mosaicId === generateMosaicId(owner, nonce) ? undefined : "Failure_Mosaic_Id_Mismatch";
  });

  rules.stateful("mosaicFlags", ({ flags }, { config, height }) => {
    const isRevokableKnown = height >= config.forkHeights.treasuryReissuance;
    return flags > (isRevokableKnown ? 0x0f : 0x07) ? "Failure_Mosaic_Invalid_Flags" : undefined;
  });
  rules.stateful("mosaicDefinition", ({ mosaicId, owner, flags, divisibility, duration }, context) => {
    const mosaic = context.tables.mosaics.get(mosaicId);
    if (!mosaic) return undefined;
    const failure = checkActive(mosaic, context) ?? checkOwner(mosaic, owner);
    if (failure) return failure;
    const isChanged = flags !== 0 || divisibility !== 0 || (mosaic.duration !== 0n && duration !== 0n);
    if (!isChanged) return "Failure_Mosaic_Modification_No_Changes";
    return mosaic.supply === 0n ? undefined : "Failure_Mosaic_Modification_Disallowed";
  });
  rules.stateful("mosaicDefinition", ({ mosaicId, divisibility }, { tables, config }) => {
    const resulting = divisibility ^ (tables.mosaics.get(mosaicId)?.divisibility ?? 0);
    return resulting > config.mosaic.maxDivisibility ? "Failure_Mosaic_Invalid_Divisibility" : undefined;
  });
  rules.stateful("mosaicDefinition", ({ mosaicId, duration }, { tables, config }) => {
    if (duration === 0n) return undefined;
    const current = tables.mosaics.get(mosaicId)?.duration;
    const isAllowed = current !== 0n && (current ?? 0n) + duration <= config.mosaic.maxDuration;
    return isAllowed ? undefined : "Failure_Mosaic_Invalid_Duration";
  });

  rules.observe("mosaicDefinition", ({ mosaicId, owner, ...change }, { tables, height }) => {
    const mosaic = tables.mosaics.get(mosaicId);
    tables.mosaics.set({
      id: mosaicId,
      supply: 0n,
      startHeight: mosaic?.startHeight ?? height,
      ownerAddress: owner,
      revision: (mosaic?.revision ?? 0) + 1,
      flags: (mosaic?.flags ?? 0) ^ change.flags,
      divisibility: (mosaic?.divisibility ?? 0) ^ change.divisibility,
      duration: (mosaic?.duration ?? 0n) + change.duration,
    });
  });
}

function addSupplyRules(rules: RuleBook): void {
  rules.stateless("mosaicSupplyChange", ({ action, delta }) => {
    if (action > 1) return "Failure_Mosaic_Invalid_Supply_Change_Action";
    return delta === 0n ? "Failure_Mosaic_Invalid_Supply_Change_Amount" : undefined;
  });

  rules.stateful("mosaicSupplyChange", ({ owner, mosaicId, action }, context) =>
    action === 0 ? undefined : checkMosaicCount(owner, mosaicId, context),
  );
  rules.stateful("mosaicSupplyChange", ({ owner, mosaicId, action, delta }, context) => {
    const mosaic = context.tables.mosaics.get(context.resolveMosaic(mosaicId));
    if (!mosaic) return "Failure_Mosaic_Expired";
    const owned = balanceOf(context.tables.accounts.require(owner), mosaic.id);
    const isMutable = (mosaic.flags & MosaicFlag.supplyMutable) !== 0;
    if (!isMutable && owned !== mosaic.supply) return "Failure_Mosaic_Supply_Immutable";
    if (action === 0) return owned < delta ? "Failure_Mosaic_Supply_Negative" : undefined;
    const supply = mosaic.supply + delta;
    const isAllowed = supply <= MAX_UINT64 && supply <= context.config.maxMosaicAtomicUnits;
    return isAllowed ? undefined : "Failure_Mosaic_Supply_Exceeded";
  });

  rules.observe("mosaicSupplyChange", ({ owner, action, delta, ...change }, { tables, resolveMosaic }) => {
    const mosaicId = resolveMosaic(change.mosaicId);
    if (action === 1) tables.accounts.credit(owner, mosaicId, delta);
    else tables.accounts.debit(owner, mosaicId, delta);
    tables.mosaics.changeSupply(mosaicId, action === 1 ? delta : -delta);
  });
}

function checkActive(mosaic: MosaicState | undefined, { height }: ValidationContext): FailureName | undefined {
  return mosaic && isMosaicActive(mosaic, height) ? undefined : "Failure_Mosaic_Expired";
}

function checkOwner(mosaic: MosaicState | undefined, owner: Buffer): FailureName | undefined {
  return mosaic?.ownerAddress.equals(owner) ? undefined : "Failure_Mosaic_Owner_Conflict";
}

/** Whether an account may receive a mosaic that it may not own yet. */
function checkMosaicCount(address: Buffer, mosaicId: bigint, context: ValidationContext): FailureName | undefined {
  const account = context.tables.accounts.get(address);
  if (!account || balanceOf(account, context.resolveMosaic(mosaicId)) !== 0n) return undefined;
  const hasRoom = account.balances.length < context.config.mosaic.maxMosaicsPerAccount;
  return hasRoom ? undefined : "Failure_Mosaic_Max_Mosaics_Exceeded";
}
