import { addressOfPublicKey, namespaceIdOf } from "../../catapult/entity/address.js";
import { TRANSACTION_TYPE } from "../../catapult/nouns/type-names.js";
import {
  type Aliases,
  aliasesIn,
  type BalanceMovement,
  type MovingEntity,
  type MovingTransaction,
  movementsOfTransaction,
} from "../../catapult/state/balance-movements.js";
import type { Entry } from "../../database/lists/page.js";
import { readPendingHashes } from "../../database/mempool/pending-transactions.js";
import { PendingGroupType, PendingTransaction } from "../chain/pending-transaction.js";
import { namespaceOf, type TransactionFields, transactionOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { parseId } from "../graph/formats.js";
import { loadersOf } from "../graph/loaders.js";
import { resourcesOf } from "../network/resources.js";
import { Movement } from "./balance-movements.js";

builder.objectField(PendingTransaction, "movements", (t) =>
  t.field({
    type: [Movement],
    description:
      "What the transaction would do to balances by itself: without receipts, with its maximum fee, and with aliases " +
      "as they are now.",
    resolve: async (entry, _args, context) => {
      const embedded = await loadersOf(context).pendingEmbedded[entry.group].load(entry.id);
      return movementsOfPending(entry, embedded, context);
    },
  }),
);

builder.queryField("pendingHashes", (t) =>
  t.field({
    type: ["Hash256"],
    description: "Hashes of all pending transactions of a group, by arrival.",
    args: { group: t.arg({ description: "Group of pending transactions.", type: PendingGroupType, required: true }) },
    resolve: (_root, { group }, { db }) => readPendingHashes(db, group),
  }),
);

async function movementsOfPending(
  entry: Entry,
  embedded: readonly Entry[],
  context: Context,
): Promise<BalanceMovement[]> {
  const transaction: MovingTransaction = {
    ...partOf(transactionOf(entry), 0),
    embedded: embedded.map((inner, index) => partOf(transactionOf(inner), index)),
  };
  const mosaicId = (await resourcesOf(context).network()).section("chain").bigint("currencyMosaicId");
  return movementsOfTransaction(transaction, {
    fee: { mosaicId, amount: BigInt(transactionOf(entry).maxFee ?? 0) },
    aliases: await currentAliases(transaction, context),
    statements: [],
  });
}

function partOf(fields: TransactionFields, index: number): Omit<MovingTransaction, "embedded"> {
  const signerAddress = addressOfPublicKey(Buffer.from(fields.signerPublicKey, "hex"), fields.network);
  return { index, signerAddress, entity: entityOf(fields) };
}

const bytes = (hex: string | undefined) => Buffer.from(hex ?? "", "hex");
const number = (text: string | undefined) => BigInt(text ?? 0);
const id = (hex: string | undefined) => BigInt(`0x${hex ?? 0}`);

/** The moving part of a REST body: pending transactions are stored in no other form. */
function entityOf(fields: TransactionFields): MovingEntity {
  const { type } = fields;
  if (type === TRANSACTION_TYPE.transfer) {
    const mosaics = (fields.mosaics ?? []).map((one) => ({ mosaicId: id(one.id), amount: BigInt(one.amount) }));
    const message = bytes(fields.message);
    return { kind: "transfer", recipientAddress: bytes(fields.recipientAddress), mosaics, message };
  }
  if (type === TRANSACTION_TYPE.mosaic_supply_revocation) {
    const sourceAddress = bytes(fields.sourceAddress);
    return {
      kind: "mosaic_supply_revocation",
      sourceAddress,
      mosaicId: id(fields.mosaicId),
      amount: number(fields.amount),
    };
  }
  if (type === TRANSACTION_TYPE.mosaic_supply_change) {
    const { action = 0, delta, mosaicId } = fields;
    return { kind: "mosaic_supply_change", mosaicId: id(mosaicId), delta: number(delta), action };
  }
  return { kind: "unknown" };
}

/** The current targets of the aliases of a transaction; one without a target stays as it is. */
async function currentAliases(transaction: MovingTransaction, context: Context): Promise<Aliases> {
  const named = aliasesIn([transaction]);
  const ids = [...new Set([...named.addresses.map(namespaceIdOf), ...named.mosaics])];
  const found = await Promise.all(ids.map((one) => loadersOf(context).namespace.load(one)));
  const targets = new Map(
    ids.map((one, place) => {
      const entry = found[place];
      return [one, entry && namespaceOf(entry).alias] as const;
    }),
  );
  const targetOf = (one: bigint) => targets.get(one) as { address?: string; mosaicId?: string } | undefined;
  return {
    address: (unresolved) => {
      const target = isNamed(named.addresses, unresolved) ? targetOf(namespaceIdOf(unresolved))?.address : undefined;
      return target === undefined ? unresolved : bytes(target);
    },
    mosaic: (unresolved) => parseId(targetOf(unresolved)?.mosaicId ?? "") ?? unresolved,
  };
}

function isNamed(addresses: readonly Buffer[], address: Buffer): boolean {
  return addresses.some((one) => one.equals(address));
}
