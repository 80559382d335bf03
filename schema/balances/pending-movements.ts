import { addressOfPublicKey, decodeNamespaceId } from "../../catapult/entity/address.js";
import { acceptedEmbeddedEntity, acceptedTransaction } from "../../catapult/entity/transaction.js";
import { decodeEntityId } from "../../catapult/json/entity-id.js";
import {
  type Aliases,
  aliasesIn,
  type BalanceMovement,
  type MovingTransaction,
  movementsOfTransaction,
} from "../../catapult/state/balance-movements.js";
import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import { readPendingHashes } from "../../database/mempool/pending-transactions.js";
import { PendingGroupType, PendingTransaction } from "../chain/pending-transaction.js";
import { namespaceOf } from "../graph/body.js";
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
      const whole = await loadersOf(context).wholePending.load(entry.id);
      return whole ? movementsOfPending(whole, context) : [];
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

async function movementsOfPending({ id, bytes }: TransactionEntry, context: Context): Promise<BalanceMovement[]> {
  const topLevel = decodeEntityId(id).embeddedIndex === 0 ? acceptedTransaction(bytes, 0) : undefined;
  const transaction = topLevel ?? embeddedAlone(bytes);
  const mosaicId = (await resourcesOf(context).network()).section("chain").bigint("currencyMosaicId");
  return movementsOfTransaction(transaction, {
    fee: { mosaicId, amount: topLevel?.entity.maxFee ?? 0n },
    aliases: await currentAliases(transaction, context),
    statements: [],
  });
}

function embeddedAlone(bytes: Buffer): MovingTransaction {
  const entity = acceptedEmbeddedEntity(bytes);
  return { index: 0, entity, signerAddress: addressOfPublicKey(entity.signerPublicKey, entity.network), embedded: [] };
}

/** The current targets of the aliases of a transaction; one without a target stays as it is. */
async function currentAliases(transaction: MovingTransaction, context: Context): Promise<Aliases> {
  const named = aliasesIn([transaction]);
  const ids = [...new Set([...named.addresses.map(decodeNamespaceId), ...named.mosaics])];
  const found = await Promise.all(ids.map((one) => loadersOf(context).namespace.load(one)));
  const targets = new Map(
    ids.map((one, position) => {
      const entry = found[position];
      return [one, entry && namespaceOf(entry).alias] as const;
    }),
  );
  const targetOf = (one: bigint) => targets.get(one) as { address?: string; mosaicId?: string } | undefined;
  return {
    address: (unresolved) => {
      const target = isNamed(named.addresses, unresolved)
        ? targetOf(decodeNamespaceId(unresolved))?.address
        : undefined;
      return target === undefined ? unresolved : Buffer.from(target, "hex");
    },
    mosaic: (unresolved) => parseId(targetOf(unresolved)?.mosaicId ?? "") ?? unresolved,
  };
}

function isNamed(addresses: readonly Buffer[], address: Buffer): boolean {
  return addresses.some((one) => one.equals(address));
}
