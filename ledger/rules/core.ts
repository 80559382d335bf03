import { addressOfPublicKey, isValidAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import type { VotingKey } from "../../catapult/state/account.js";
import { type AccountState, balanceOf, keyUnlessZero } from "../tables/accounts.js";
import { addActivity } from "../tables/importance.js";
import type { NotificationOf } from "./notifications.js";
import type { Publishers, RuleBook, ValidationContext } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const MAX_UINT32 = 0xffff_ffffn;
const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;
const ZERO_KEY = Buffer.alloc(32);

const PUBLISHERS = {
  vrf_key_link: (link, context, notify) => {
    const action = link.linkAction;
    notify({ kind: "keyLinkAction", action });
    notify({
      kind: "vrfKeyLink",
      mainPublicKey: context.signerPublicKey,
      linkedPublicKey: bytesOf(link.linkedPublicKey),
      action,
    });
  },
  voting_key_link: (link, context, notify) => {
    const action = link.linkAction;
    notify({ kind: "keyLinkAction", action });
    notify({
      kind: "votingKeyLink",
      mainPublicKey: context.signerPublicKey,
      linkedPublicKey: bytesOf(link.linkedPublicKey),
      startEpoch: link.startEpoch,
      endEpoch: link.endEpoch,
      action,
    });
  },
} satisfies Partial<Publishers>;

/** Accounts, balances, fees, versions and deadlines (catapult `plugins/coresystem`). */
export function addCoreRules(rules: RuleBook) {
  addAccountRules(rules);
  addBalanceRules(rules);
  addTransactionRules(rules);
  addVrfKeyLinkRules(rules);
  addVotingKeyLinkRules(rules);

  rules.observe("sourceChange", ({ to }, { statement }) => {
    if (to === "block") statement.setSource(0, 0);
    else if (to === "transaction") statement.nextTransaction();
    else statement.nextEmbedded();
  });
  return PUBLISHERS;
}

function addAccountRules(rules: RuleBook): void {
  rules.stateless("accountPublicKey", ({ publicKey }) =>
    publicKey.equals(ZERO_KEY) ? "Failure_Core_Zero_Public_Key" : undefined,
  );

  const zeroAddress = addressOfPublicKey(ZERO_KEY, rules.config.networkIdentifier);
  rules.stateless("accountAddress", ({ address }) =>
    address.equals(zeroAddress) ? "Failure_Core_Zero_Address" : undefined,
  );

  rules.stateful("accountAddress", ({ address, isResolved }, { tables, config, resolveAddress }) => {
    const resolved = isResolved ? address : resolveAddress(address);
    // An account that exists has a valid address: it was checked when the account was made.
    if (tables.accounts.get(resolved)) return undefined;
    const isOfNetwork = resolved[0] === config.networkIdentifier;
    return isOfNetwork && isValidAddress(resolved) ? undefined : "Failure_Core_Invalid_Address";
  });
  rules.stateful("accountPublicKey", ({ publicKey }, { tables }) => {
    const account = tables.accounts.getByPublicKey(publicKey);
    const collides = account && account.publicKeyHeight > 0 && !account.publicKey.equals(publicKey);
    return collides ? "Failure_Core_Address_Collision" : undefined;
  });

  rules.observe("accountAddress", ({ address, isResolved }, { tables, height, resolveAddress }) => {
    tables.accounts.addAddress(isResolved ? address : resolveAddress(address), height);
  });
  rules.observe("accountPublicKey", ({ publicKey }, { tables, height }) => {
    tables.accounts.addPublicKey(publicKey, height);
  });
}

function addBalanceRules(rules: RuleBook): void {
  rules.stateful("balanceDebit", ({ sender, mosaicId, amount }, context) =>
    hasBalance(context, sender, mosaicId, amount) ? undefined : "Failure_Core_Insufficient_Balance",
  );
  rules.stateful("balanceTransfer", (transfer, context) => {
    const amount = effectiveAmount(transfer, context);
    const canPay = amount <= MAX_UINT64 && hasBalance(context, transfer.sender, transfer.mosaicId, amount);
    return canPay ? undefined : "Failure_Core_Insufficient_Balance";
  });

  rules.observe("balanceDebit", ({ sender, mosaicId, amount }, { tables, resolveAddress, resolveMosaic }) => {
    tables.accounts.debit(resolveAddress(sender), resolveMosaic(mosaicId), amount);
  });
  rules.observe("balanceTransfer", (transfer, context) => {
    const { tables, resolveAddress, resolveMosaic } = context;
    const sender = resolveAddress(transfer.sender);
    const recipient = resolveAddress(transfer.recipient);
    const amount = effectiveAmount(transfer, context);
    const mosaicId = resolveMosaic(transfer.mosaicId);
    tables.accounts.debit(sender, mosaicId, amount);
    tables.accounts.credit(recipient, mosaicId, amount);
  });

  rules.observe("rentalFee", (fee, { tables, statement, resolveAddress, resolveMosaic }) => {
    const amount = fee.amount * BigInt(tables.dynamicFeeMultiplier.get());
    const mosaicId = resolveMosaic(fee.mosaicId);
    const sender = resolveAddress(fee.sender);
    statement.addBalanceTransfer(fee.receiptType, mosaicId, amount, sender, resolveAddress(fee.recipient));
  });
}

function hasBalance(context: ValidationContext, sender: Buffer, mosaicId: bigint, amount: bigint): boolean {
  const account = context.tables.accounts.get(context.resolveAddress(sender));
  return account !== undefined && balanceOf(account, context.resolveMosaic(mosaicId)) >= amount;
}

function effectiveAmount(transfer: NotificationOf<"balanceTransfer">, { tables }: ValidationContext): bigint {
  return transfer.isDynamic ? transfer.amount * BigInt(tables.dynamicFeeMultiplier.get()) : transfer.amount;
}

function addTransactionRules(rules: RuleBook): void {
  rules.stateless("entity", ({ network }, config) =>
    network === config.networkIdentifier ? undefined : "Failure_Core_Wrong_Network",
  );
  rules.stateless("entity", ({ version, maxVersion }) =>
    version < 1 || version > maxVersion ? "Failure_Core_Invalid_Version" : undefined,
  );
  rules.stateless("internalPadding", ({ isZero }) => (isZero ? undefined : "Failure_Core_Nonzero_Internal_Padding"));
  rules.stateless("transactionFee", ({ fee, maxFee, size }) =>
    fee > maxFee || maxFee > MAX_UINT32 * BigInt(size) ? "Failure_Core_Invalid_Transaction_Fee" : undefined,
  );

  rules.stateless("block", ({ isNemesis, transactionCount }, { maxTransactionsPerBlock }) =>
    isNemesis || transactionCount <= maxTransactionsPerBlock ? undefined : "Failure_Core_Too_Many_Transactions",
  );

  rules.stateful("transactionDeadline", ({ deadline, maxLifetime }, { config, timestamp }) => {
    if (BigInt(timestamp) > deadline) return "Failure_Core_Past_Deadline";
    const latest = BigInt(timestamp + (maxLifetime || config.maxTransactionLifetime));
    return deadline > latest ? "Failure_Core_Future_Deadline" : undefined;
  });
  rules.stateful("signature", ({ signerPublicKey, signature }, { config, height }) => {
    if (height === 1 || !signerPublicKey.equals(config.nemesisSignerPublicKey)) return undefined;
    const isReissuance = height === config.forkHeights.treasuryReissuance;
    const isAllowed = isReissuance && config.treasuryReissuanceSignatures.has(hex(signature));
    return isAllowed ? undefined : "Failure_Core_Nemesis_Account_Signed_After_Nemesis_Block";
  });
  rules.stateful("transaction", ({ hash }, { tables }) =>
    tables.isConfirmed(hash) ? "Failure_Hash_Already_Exists" : undefined,
  );

  rules.observe("transactionFee", ({ sender, fee }, context) => {
    if (fee === 0n) return;
    addActivity(context, sender, (bucket) => ({ ...bucket, totalFeesPaid: bucket.totalFeesPaid + fee }));
  });
}

function addVrfKeyLinkRules(rules: RuleBook): void {
  rules.stateless("keyLinkAction", ({ action }) => (action > 1 ? "Failure_Core_Invalid_Link_Action" : undefined));
  rules.stateful("vrfKeyLink", ({ mainPublicKey, linkedPublicKey, action }, { tables }) => {
    const current = tables.accounts.getByPublicKey(mainPublicKey)?.vrfPublicKey;
    if (action === 1) return current ? "Failure_Core_Link_Already_Exists" : undefined;
    return current?.equals(linkedPublicKey) ? undefined : "Failure_Core_Inconsistent_Unlink_Data";
  });
  rules.observe("vrfKeyLink", ({ mainPublicKey, linkedPublicKey, action }, { tables }) => {
    const vrfPublicKey = action === 1 ? keyUnlessZero(linkedPublicKey) : undefined;
    tables.accounts.update(tables.accounts.addressOf(mainPublicKey), { vrfPublicKey });
  });
}

function addVotingKeyLinkRules(rules: RuleBook): void {
  rules.stateless("votingKeyLink", ({ startEpoch, endEpoch }, config) => {
    if (startEpoch === 0) return "Failure_Core_Link_Start_Epoch_Invalid";
    const range = endEpoch - startEpoch + 1;
    const isInRange = range >= config.minVotingKeyLifetime && range <= config.maxVotingKeyLifetime;
    return isInRange ? undefined : "Failure_Core_Invalid_Link_Range";
  });
  rules.stateful("votingKeyLink", (link, { tables, config }) => {
    const keys = tables.accounts.getByPublicKey(link.mainPublicKey)?.votingKeys ?? [];
    if (link.action !== 1) {
      return keys.some((key) => isSameVotingKey(key, link)) ? undefined : "Failure_Core_Inconsistent_Unlink_Data";
    }
    if (keys.length === config.maxVotingKeysPerAccount) return "Failure_Core_Too_Many_Links";
    return (keys.at(-1)?.endEpoch ?? 0) >= link.startEpoch ? "Failure_Core_Link_Already_Exists" : undefined;
  });
  rules.observe("votingKeyLink", (link, { tables }) => {
    const address = tables.accounts.addressOf(link.mainPublicKey);
    tables.accounts.update(address, { votingKeys: votingKeysAfter(tables.accounts.require(address), link) });
  });
}

function votingKeysAfter(account: AccountState, link: NotificationOf<"votingKeyLink">): readonly VotingKey[] {
  if (link.action !== 1) return account.votingKeys.filter((key) => !isSameVotingKey(key, link));
  const { linkedPublicKey: publicKey, startEpoch, endEpoch } = link;
  return [...account.votingKeys, { publicKey, startEpoch, endEpoch }].sort(
    (left, right) => left.startEpoch - right.startEpoch,
  );
}

function isSameVotingKey(key: VotingKey, link: NotificationOf<"votingKeyLink">): boolean {
  const isSameRange = key.startEpoch === link.startEpoch && key.endEpoch === link.endEpoch;
  return isSameRange && key.publicKey.equals(link.linkedPublicKey);
}
