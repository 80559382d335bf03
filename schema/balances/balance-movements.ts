import { decodeEntityId, encodeEntityId } from "../../catapult/json/entity-id.js";
import {
  type BalanceChange,
  type BalanceMovement,
  MOVEMENT_CAUSES,
  type MovementCause,
} from "../../catapult/state/balance-movements.js";
import { balancesAt, type MosaicBalance, readBalancesAt } from "../../database/balances/balance-changes.js";
import { heightOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { accountField, loadersOf, mosaicField } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { checkKeys } from "../graph/state.js";
import { Block, Transaction } from "../graph/types.js";
import { historyDb } from "./balance-history.js";

const CAUSE_DESCRIPTIONS: Readonly<Record<MovementCause, string>> = {
  transfer: "A transfer.",
  fee: "The fee of a transaction.",
  mosaic_supply_change: "A change of a mosaic's supply.",
  mosaic_supply_revocation: "A revocation of a mosaic by its creator.",
  harvest_fee: "The reward of a harvester, a beneficiary, or the network: fees of the block and inflation.",
  mosaic_rental_fee: "The fee for a mosaic definition.",
  namespace_rental_fee: "The fee for a namespace registration.",
  hash_lock_created: "The deposit of a hash lock.",
  hash_lock_completed: "The deposit of a hash lock, returned to its owner.",
  hash_lock_expired: "The deposit of an expired hash lock, which the harvester gets.",
  secret_lock_created: "The amount of a secret lock.",
  secret_lock_completed: "The amount of a secret lock, received by its recipient.",
  secret_lock_expired: "The amount of an expired secret lock, returned to its owner.",
  receipt: "A receipt of an unknown type.",
};

export const Cause = builder.enumType("BalanceMovementCause", {
  description: "What moves a balance.",
  values: Object.fromEntries(
    MOVEMENT_CAUSES.map((cause) => [cause, { value: cause, description: CAUSE_DESCRIPTIONS[cause] }]),
  ) as Record<MovementCause, { readonly value: MovementCause; readonly description: string }>,
});

/** The field of whatever has a `mosaicId`. */
const DIVISIBILITY = {
  nullable: true,
  description: "Number of decimal places of the mosaic; null for an unknown mosaic.",
  resolve: ({ mosaicId }: { readonly mosaicId: bigint }, _args: object, context: Context) =>
    loadersOf(context).divisibility.load(mosaicId),
} as const;

const Change = builder.objectRef<BalanceChange>("BalanceMovementChange").implement({
  description: "A change of one account's balance of one mosaic.",
  fields: (t) => ({
    ...members(t, {
      address: ["Address", "Address of the account."],
      mosaicId: ["ArtifactId", "Id of the mosaic."],
    }),
    account: accountField(t, "The account.", ({ address }) => address),
    mosaic: mosaicField(t, "The mosaic.", ({ mosaicId }) => mosaicId),
    divisibility: t.int(DIVISIBILITY),
    change: t.string({
      description: "Change of the balance: signed atomic units, as text.",
      resolve: ({ change }) => String(change),
    }),
  }),
});

export const Movement = builder.objectRef<BalanceMovement>("BalanceMovement").implement({
  description: "What one cause does to balances: a debit and a credit of the same amount, or one of them.",
  fields: (t) => ({
    ...members(t, {
      cause: [Cause, "The cause."],
      receiptType: ["Int?", "Type of the receipt that states it; null for what follows from a transaction itself."],
    }),
    embeddedIndex: t.int({
      nullable: true,
      description: "Index in the aggregate of the embedded transaction that causes it; null if it is not one.",
      resolve: ({ source: { secondaryId } }) => (secondaryId === 0 ? null : secondaryId - 1),
    }),
    changes: t.field({
      type: [Change],
      description: "The changes of balances: the debit first.",
      resolve: ({ changes }) => [...changes],
    }),
  }),
});

const Balance = builder.objectRef<MosaicBalance>("MosaicBalance").implement({
  description: "A balance of a mosaic.",
  fields: (t) => ({
    ...members(t, {
      mosaicId: ["ArtifactId", "Id of the mosaic."],
      amount: ["UInt64", "Balance in atomic units."],
    }),
    divisibility: t.int(DIVISIBILITY),
  }),
});

builder.objectField(Transaction, "movements", (t) =>
  t.field({
    type: [Movement],
    description:
      "Everything that the transaction does to balances, with its embedded ones and their receipts, in order; the fee " +
      "comes last. For an embedded transaction its own part.",
    resolve: async ({ id }, _args, context) => {
      const { embeddedIndex } = decodeEntityId(id);
      const ofWhole = await loadersOf(context).movements.load(findTopLevelId(id));
      return ofWhole.filter(({ source }) => embeddedIndex === 0 || source.secondaryId === embeddedIndex);
    },
  }),
);

builder.objectFields(Block, (t) => ({
  movements: t.field({
    type: [Movement],
    description:
      "What the block does to balances besides its transactions: fees for harvesting, amounts of expired locks. With " +
      "the movements of all its transactions, the sums are the changes of balances in the block.",
    resolve: async (entry, _args, context) => [...(await loadersOf(context).blockMovements.load(heightOf(entry)))],
  }),
  balances: t.field({
    type: [Balance],
    description:
      "Balances of an account after the block, by mosaic: all that are not 0, or those of the given mosaics.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      mosaicIds: t.arg({ description: "Ids of mosaics.", type: ["ArtifactId"] }),
    },
    resolve: async (entry, { address, mosaicIds }, context) => {
      const db = await historyDb(context);
      const height = heightOf(entry);
      if (!mosaicIds || mosaicIds.length === 0) return readBalancesAt(db, address, height);
      checkKeys("mosaicIds", mosaicIds);
      const amounts = await balancesAt(
        db,
        mosaicIds.map((mosaicId) => ({ address, mosaicId, height })),
      );
      return mosaicIds.map((mosaicId, position) => ({ mosaicId, amount: amounts[position] ?? 0n }));
    },
  }),
}));

function findTopLevelId(id: Buffer): Buffer {
  const { height, index } = decodeEntityId(id);
  return encodeEntityId(height, index);
}
