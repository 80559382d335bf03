import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { ACCOUNT_TYPE } from "../../catapult/state/account.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { keyUnlessZero } from "../tables/accounts.js";
import type { Publishers, RuleBook, ValidationContext } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const ACCOUNT_KEY_LINK = TRANSACTION_TYPE.account_key_link;

/** Remote accounts and node keys (catapult `plugins/txes/account_link`). */
export function addAccountLinkRules(rules: RuleBook) {
  rules.stateful("remoteKeyLink", ({ mainPublicKey, linkedPublicKey, action }, { tables }) => {
    const account = tables.accounts.getByPublicKey(mainPublicKey);
    const type = account?.type ?? ACCOUNT_TYPE.unlinked;
    if (action === 1) return type === ACCOUNT_TYPE.unlinked ? undefined : "Failure_AccountLink_Link_Already_Exists";
    if (type !== ACCOUNT_TYPE.main) return "Failure_AccountLink_Unknown_Link";
    const isLinked = account?.linkedPublicKey?.equals(linkedPublicKey);
    return isLinked ? undefined : "Failure_AccountLink_Inconsistent_Unlink_Data";
  });
  rules.stateful("newRemoteAccount", ({ linkedPublicKey }, { tables }) => {
    const remote = tables.accounts.getByKnownPublicKey(linkedPublicKey);
    const isEligible = !remote || remote.type === ACCOUNT_TYPE.remoteUnlinked;
    return isEligible ? undefined : "Failure_AccountLink_Remote_Account_Ineligible";
  });
  rules.stateful("transaction", ({ sender }, context) =>
    isRemote(context, sender) ? "Failure_AccountLink_Remote_Account_Signer_Prohibited" : undefined,
  );
  rules.stateful("addressInteraction", ({ type, participants }, context) => {
    if (type === ACCOUNT_KEY_LINK) return undefined;
    const involvesRemote = participants.some((address) => isRemote(context, context.resolveAddress(address)));
    return involvesRemote ? "Failure_AccountLink_Remote_Account_Participant_Prohibited" : undefined;
  });
  rules.stateful("nodeKeyLink", ({ mainPublicKey, linkedPublicKey, action }, { tables }) => {
    const current = tables.accounts.getByPublicKey(mainPublicKey)?.nodePublicKey;
    if (action === 1) return current ? "Failure_AccountLink_Link_Already_Exists" : undefined;
    return current?.equals(linkedPublicKey) ? undefined : "Failure_AccountLink_Inconsistent_Unlink_Data";
  });

  rules.observe("remoteKeyLink", ({ mainPublicKey, linkedPublicKey, action }, { tables: { accounts } }) => {
    const main = accounts.addressOf(mainPublicKey);
    const remote = accounts.addressOf(linkedPublicKey);
    if (action === 1) {
      accounts.update(main, { type: ACCOUNT_TYPE.main, linkedPublicKey });
      accounts.update(remote, { type: ACCOUNT_TYPE.remote, linkedPublicKey: mainPublicKey });
    } else {
      accounts.update(main, { type: ACCOUNT_TYPE.unlinked, linkedPublicKey: undefined });
      accounts.update(remote, { type: ACCOUNT_TYPE.remoteUnlinked, linkedPublicKey: undefined });
    }
  });
  rules.observe("nodeKeyLink", ({ mainPublicKey, linkedPublicKey, action }, { tables: { accounts } }) => {
    const nodePublicKey = action === 1 ? keyUnlessZero(linkedPublicKey) : undefined;
    accounts.update(accounts.addressOf(mainPublicKey), { nodePublicKey });
  });
  return publishers(rules);
}

function publishers({ config }: RuleBook) {
  return {
    account_key_link: (link, { signerAddress, signerPublicKey }, notify) => {
      const action = link.linkAction;
      const linkedPublicKey = bytesOf(link.linkedPublicKey);
      if (action === 1) {
        notify({ kind: "newRemoteAccount", linkedPublicKey });
        notify({ kind: "accountPublicKey", publicKey: linkedPublicKey });
      }
      notify({ kind: "keyLinkAction", action });
      const participants = [addressOfPublicKey(linkedPublicKey, config.networkIdentifier)];
      notify({ kind: "addressInteraction", source: signerAddress, type: ACCOUNT_KEY_LINK, participants });
      notify({ kind: "remoteKeyLink", mainPublicKey: signerPublicKey, linkedPublicKey, action });
    },
    node_key_link: (link, { signerPublicKey }, notify) => {
      const action = link.linkAction;
      const linkedPublicKey = bytesOf(link.linkedPublicKey);
      notify({ kind: "keyLinkAction", action });
      notify({ kind: "nodeKeyLink", mainPublicKey: signerPublicKey, linkedPublicKey, action });
    },
  } satisfies Partial<Publishers>;
}

function isRemote({ tables }: ValidationContext, address: Buffer): boolean {
  const type = tables.accounts.get(address)?.type;
  return type === ACCOUNT_TYPE.remote || type === ACCOUNT_TYPE.remoteUnlinked;
}
