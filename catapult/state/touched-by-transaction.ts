import { addressOfPublicKey, isAliasAddress } from "../entity/address.js";
import type { RentalFeeSinks } from "../entity/model.js";
import type { Body, EmbeddedEntity } from "../entity/transaction-entity.js";
import type { KnownKind } from "../entity/transaction-layouts.js";
import {
  METADATA_TYPE,
  metadataCompositeHash,
  mosaicRestrictionCompositeHash,
  secretLockCompositeHash,
} from "./composite-hash.js";
import type { StateKeySet } from "./state-key-set.js";

/** The context needed to compute what a transaction changes. */
export interface TouchContext {
  readonly keys: StateKeySet;
  readonly networkIdentifier: number;
  /** Accounts that receive rental fees, if known. */
  readonly sinks: RentalFeeSinks | undefined;
  readonly signerAddress: Buffer;
  /** Entity hash (32 bytes) of a top-level transaction; for an embedded one that of its aggregate. */
  readonly hash: Buffer;
  /** Resolves addresses and mosaic ids at this position of the block. */
  readonly resolveAddress: (unresolved: Uint8Array) => Buffer;
  readonly resolveMosaic: (unresolved: bigint) => bigint;
  /** Records the parent of a namespace. */
  readonly addChildNamespace: (id: bigint, parentId: bigint) => void;
  /** Records that the root of a namespace (or itself) changed. */
  readonly touchNamespace: (id: bigint) => void;
}

type Kind = KnownKind;
type Touch<K extends Kind> = (tx: Body<K>, context: TouchContext) => void;

const CHILD = 1;

const touchSigner: Touch<Kind> = () => undefined;

/** A bonded aggregate in a block uses its hash lock. */
const touchBonded: Touch<"aggregateBonded"> = (_tx, { keys, hash }) => keys.add("hashLock", hash);

const touchSecretLock: Touch<"secretLock" | "secretProof"> = (tx, context) => {
  const recipient = context.resolveAddress(tx.recipientAddress);
  context.keys.add("account", recipient);
  context.keys.add("secretLock", secretLockCompositeHash(tx.secret, recipient));
};

const touchRegistration: Touch<"namespaceRegistration"> = (tx, context) => {
  if (tx.registrationType === CHILD) context.addChildNamespace(tx.id, tx.durationOrParentId);
  context.touchNamespace(tx.id);
  if (context.sinks) context.keys.add("account", context.sinks.namespace);
};

type Metadata = Body<"accountMetadata" | "mosaicMetadata" | "namespaceMetadata">;

function touchMetadata(tx: Metadata, context: TouchContext, metadataType: number, targetId: bigint): void {
  const { keys, signerAddress: sourceAddress } = context;
  const targetAddress = context.resolveAddress(tx.targetAddress);
  keys.add("account", targetAddress);
  const { scopedMetadataKey } = tx;
  keys.add(
    "metadata",
    metadataCompositeHash({ sourceAddress, targetAddress, scopedMetadataKey, targetId, metadataType }),
  );
}

/** Both ends of each link change; accounts further up or down in the graph do not. */
const touchMultisig: Touch<"multisigAccountModification"> = (tx, context) => {
  const { keys, signerAddress, resolveAddress } = context;
  keys.add("multisig", signerAddress);
  for (const unresolved of tx.addressAdditions) {
    const address = resolveAddress(unresolved);
    keys.add("account", address);
    keys.add("multisig", address);
  }
  for (const unresolved of tx.addressDeletions) keys.add("multisig", resolveAddress(unresolved));
};

const touchAccountRestriction: Touch<Kind> = (_tx, { keys, signerAddress }) =>
  keys.add("accountRestriction", signerAddress);

const touchAddressRestriction: Touch<"mosaicAddressRestriction"> = (tx, context) => {
  const mosaicId = context.resolveMosaic(tx.mosaicId);
  const written = tx.targetAddress;
  const target = context.resolveAddress(written);
  context.keys.add("mosaicRestriction", mosaicRestrictionCompositeHash(mosaicId, target));
  // The target need not be an account: an alias without a target, or one that lost it because another account
  // registered its namespace in this block, is part of the key unresolved.
  if (isAliasAddress(target)) return;
  if (isAliasAddress(written)) context.keys.add("mosaicRestriction", mosaicRestrictionCompositeHash(mosaicId, written));
};

/** What each kind changes besides its signer. Source: the observers of catapult's transaction plugins. */
const TOUCH_BY_KIND: { readonly [K in Kind]: Touch<K> } = {
  transfer: (tx, { keys, resolveAddress }) => keys.add("account", resolveAddress(tx.recipientAddress)),
  accountKeyLink: (tx, { keys, networkIdentifier }) =>
    keys.add("account", addressOfPublicKey(tx.linkedPublicKey, networkIdentifier)),
  nodeKeyLink: touchSigner,
  vrfKeyLink: touchSigner,
  votingKeyLink: touchSigner,
  aggregateComplete: touchSigner,
  aggregateBonded: touchBonded,
  hashLock: (tx, { keys }) => keys.add("hashLock", tx.hash),
  secretLock: touchSecretLock,
  secretProof: touchSecretLock,
  // The sink account is created even if no fee is paid, as in the nemesis block.
  mosaicDefinition: (tx, { keys, sinks }) => {
    keys.addId("mosaic", tx.id);
    if (sinks) keys.add("account", sinks.mosaic);
  },
  mosaicSupplyChange: (tx, { keys, resolveMosaic }) => keys.addId("mosaic", resolveMosaic(tx.mosaicId)),
  mosaicSupplyRevocation: (tx, { keys, resolveAddress }) => keys.add("account", resolveAddress(tx.sourceAddress)),
  namespaceRegistration: touchRegistration,
  addressAlias: (tx, context) => {
    context.keys.add("account", tx.address);
    context.touchNamespace(tx.namespaceId);
  },
  mosaicAlias: (tx, { touchNamespace }) => touchNamespace(tx.namespaceId),
  accountMetadata: (tx, context) => touchMetadata(tx, context, METADATA_TYPE.account, 0n),
  mosaicMetadata: (tx, context) =>
    touchMetadata(tx, context, METADATA_TYPE.mosaic, context.resolveMosaic(tx.targetMosaicId)),
  namespaceMetadata: (tx, context) => touchMetadata(tx, context, METADATA_TYPE.namespace, tx.targetNamespaceId),
  multisigAccountModification: touchMultisig,
  accountAddressRestriction: touchAccountRestriction,
  accountMosaicRestriction: touchAccountRestriction,
  accountOperationRestriction: touchAccountRestriction,
  mosaicGlobalRestriction: (tx, { keys, resolveMosaic }) =>
    keys.add("mosaicRestriction", mosaicRestrictionCompositeHash(resolveMosaic(tx.mosaicId))),
  mosaicAddressRestriction: touchAddressRestriction,
};

/**
 * Adds the keys of all state values that a transaction may change, without its embedded transactions. For a
 * transaction of an unknown type or version only its signer.
 */
export function touchByTransaction(transaction: EmbeddedEntity, context: TouchContext): void {
  context.keys.add("account", context.signerAddress);
  if (transaction.kind === "unknown") return;
  const touch = TOUCH_BY_KIND[transaction.kind] as Touch<Kind>;
  touch(transaction, context);
}
