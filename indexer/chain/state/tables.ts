import type { Insertable } from "kysely";
import { ADDRESS_SIZE } from "../../../catapult/entity/address.js";
import type { AccountState } from "../../../catapult/state/account.js";
import { metadataCompositeHash, secretLockCompositeHash } from "../../../catapult/state/composite-hash.js";
import { keyOfState } from "../../../catapult/state/key.js";
import type { StateKind } from "../../../catapult/state/kind.js";
import { targetOf } from "../../../catapult/state/mosaic-restriction.js";
import { ETERNAL_HEIGHT, type NamespaceAlias } from "../../../catapult/state/namespace.js";
import type { StateByKind } from "../../../catapult/state/state.js";
import type { Database } from "../../../database/database.js";
import { Collection, idKey } from "../../../database/lists/collections.js";
import { namespaces } from "../../../database/queries/namespaces.js";
import { STATE_PLACES } from "../../../database/queries/state-entries.js";
import {
  accountRestrictions,
  type CountedLists,
  hashLocks,
  metadata,
  mosaicRestrictions,
  mosaics,
  secretLocks,
} from "../../../database/queries/state-nouns.js";

/** Tables of state by kind. */
export type TableOfKind = { readonly [K in StateKind]: (typeof STATE_PLACES)[K]["table"] };

/** A row before it has its id. */
export interface RowDraft<K extends StateKind = StateKind> {
  readonly columns: Omit<Insertable<Database[TableOfKind[K]]>, "id">;
}

/** Context of rendering the rows of a state value. */
export interface RowContext {
  /** For the account of the rows: data that are not in its value. */
  readonly history: Buffer | undefined;
  /** Ends of the earlier registrations of a root namespace, as far as the chain shows. */
  readonly earlierEndHeights: (root: StateByKind["namespace"]) => number[];
}

/** How a kind of state is stored. */
export interface StateTableRules<K extends StateKind = StateKind> extends CountedLists {
  readonly table: TableOfKind[K];
  /** The column with the key of requests to the node: all rows of one value have the same. */
  readonly keyColumn: string;
  /** The column that distinguishes rows of one value; often the same. */
  readonly rowColumn: string;
  readonly rows: (state: StateByKind[K], value: Buffer, context: RowContext) => RowDraft<K>[];
}

/** The rules of every kind: the only definition of the columns in which a state value is stored. */
export const STATE_TABLES: { readonly [K in StateKind]: StateTableRules<K> } = {
  account: {
    ...STATE_PLACES.account,
    rowColumn: "address",
    all: Collection.accounts,
    lists: [],
    rows: (account, value, context) => [{ columns: accountColumns(account, value, context) }],
  },
  mosaic: {
    ...STATE_PLACES.mosaic,
    ...mosaics.counted,
    rowColumn: "mosaic_id",
    rows: (mosaic, value) => [
      {
        columns: {
          mosaic_id: idKey(mosaic.id),
          owner_address: mosaic.ownerAddress,
          supply: mosaic.supply,
          start_height: mosaic.startHeight,
          end_height: mosaic.duration === 0n ? null : heightOrNull(BigInt(mosaic.startHeight) + mosaic.duration),
          flags: mosaic.flags,
          divisibility: mosaic.divisibility,
          value,
        },
      },
    ],
  },
  namespace: {
    ...STATE_PLACES.namespace,
    ...namespaces.counted,
    rowColumn: "namespace_id",
    rows: (root, value, context) => namespaceRows(root, value, context.earlierEndHeights(root)),
  },
  multisig: {
    ...STATE_PLACES.multisig,
    rowColumn: "address",
    lists: [],
    rows: (multisig, value) => [
      {
        columns: {
          address: multisig.accountAddress,
          min_approval: multisig.minApproval,
          min_removal: multisig.minRemoval,
          cosignatory_addresses: [...multisig.cosignatoryAddresses],
          multisig_addresses: [...multisig.multisigAddresses],
          value,
        },
      },
    ],
  },
  metadata: {
    ...STATE_PLACES.metadata,
    ...metadata.counted,
    rowColumn: "composite_hash",
    rows: (metadata, value) => [
      {
        columns: {
          composite_hash: metadataCompositeHash(metadata),
          source_address: metadata.sourceAddress,
          target_address: metadata.targetAddress,
          scoped_metadata_key: idKey(metadata.scopedMetadataKey),
          target_id: idKey(metadata.targetId),
          metadata_type: metadata.metadataType,
          value,
        },
      },
    ],
  },
  hashLock: {
    ...STATE_PLACES.hashLock,
    ...hashLocks.counted,
    rowColumn: "hash",
    rows: (lock, value) => [
      {
        columns: {
          hash: lock.hash,
          owner_address: lock.ownerAddress,
          mosaic_id: idKey(lock.mosaicId),
          amount: lock.amount,
          end_height: lock.endHeight,
          status: lock.status,
          value,
        },
      },
    ],
  },
  secretLock: {
    ...STATE_PLACES.secretLock,
    ...secretLocks.counted,
    rowColumn: "composite_hash",
    rows: (lock, value) => [
      {
        columns: {
          composite_hash: secretLockCompositeHash(lock.secret, lock.recipientAddress),
          owner_address: lock.ownerAddress,
          mosaic_id: idKey(lock.mosaicId),
          amount: lock.amount,
          recipient_address: lock.recipientAddress,
          secret: lock.secret,
          end_height: lock.endHeight,
          status: lock.status,
          value,
        },
      },
    ],
  },
  accountRestriction: {
    ...STATE_PLACES.accountRestriction,
    ...accountRestrictions.counted,
    rowColumn: "address",
    rows: (restriction, value) => [
      {
        columns: {
          address: restriction.address,
          restriction_flags: restriction.restrictions.flatMap(({ flags, values }) => values.map(() => flags)),
          // Little-endian ids and types, and addresses.
          restricted_values: restriction.restrictions.flatMap(({ values }) =>
            values.map((one) => (one.length === ADDRESS_SIZE ? one : Buffer.from(one).reverse())),
          ),
          value,
        },
      },
    ],
  },
  mosaicRestriction: {
    ...STATE_PLACES.mosaicRestriction,
    ...mosaicRestrictions.counted,
    rowColumn: "composite_hash",
    rows: (restriction, value) => [
      {
        columns: {
          composite_hash: keyOfState("mosaicRestriction", restriction),
          mosaic_id: idKey(restriction.mosaicId),
          entry_type: restriction.entryType,
          target_address: targetOf(restriction) ?? null,
          ...restrictionColumns(restriction),
          value,
        },
      },
    ],
  },
};

function accountColumns(account: AccountState, value: Buffer, { history }: RowContext): RowDraft<"account">["columns"] {
  return {
    address: account.address,
    public_key: account.publicKey,
    account_type: account.accountType,
    linked_public_key: account.supplementalPublicKeys.linked ?? null,
    importance: account.importance,
    importance_height: account.importanceHeight,
    history: history ?? null,
    value,
  };
}

function namespaceRows(
  root: StateByKind["namespace"],
  value: Buffer,
  earlierEndHeights: number[],
): RowDraft<"namespace">[] {
  return root.entries.map((entry) => {
    const [level0, level1, level2] = entry.path;
    return {
      columns: {
        namespace_id: idKey(entry.id),
        level0: idKey(level0 ?? root.id),
        level1: level1 === undefined ? null : idKey(level1),
        level2: level2 === undefined ? null : idKey(level2),
        registration_type: level1 === undefined ? 0 : 1,
        ...aliasColumns(entry.alias),
        owner_address: root.ownerAddress,
        start_height: root.startHeight,
        end_height: root.endHeight === ETERNAL_HEIGHT ? null : heightOrNull(root.endHeight),
        earlier_end_heights: earlierEndHeights,
        value: level1 === undefined ? value : null,
      },
    };
  });
}

function aliasColumns(alias: NamespaceAlias) {
  return {
    alias_type: alias.kind === "none" ? 0 : alias.kind === "mosaic" ? 1 : 2,
    alias_mosaic_id: alias.kind === "mosaic" ? idKey(alias.mosaicId) : null,
    alias_address: alias.kind === "address" ? alias.address : null,
  };
}

/** The restrictions of a mosaic or an account as columns. */
function restrictionColumns(of: StateByKind["mosaicRestriction"]) {
  const rules = of.entryType === 1 ? of.restrictions.map(({ restriction }) => restriction) : [];
  return {
    restriction_keys: of.restrictions.map(({ key }) => key),
    restriction_values:
      of.entryType === 1
        ? rules.map(({ restrictionValue }) => restrictionValue)
        : of.restrictions.map(({ value }) => value),
    restriction_types: rules.map(({ restrictionType }) => restrictionType),
    reference_mosaic_ids: rules.map(({ referenceMosaicId }) => idKey(referenceMosaicId)),
  };
}

/** A height that no chain will reach counts as none. */
function heightOrNull(height: bigint): number | null {
  return height > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(height);
}
