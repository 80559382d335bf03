import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import type { AnyTransactionBody } from "../../catapult/structs/transaction.js";
import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import { transactionOf } from "../graph/body.js";
import type { Context } from "../graph/context.js";
import { parseId } from "../graph/formats.js";
import { loadersOf } from "../graph/loaders.js";
import { addressIn } from "../graph/state.js";

type Resolved = NonNullable<AnyTransactionBody["meta"]["resolved"]>;

/**
 * The REST body of a confirmed transaction as JSON text, with `meta.resolved` if the type names accounts or mosaics: what
 * its namespaces pointed to where the transaction was executed; a namespace that pointed to none stays as it is.
 */
export async function withResolved(entry: TransactionEntry, text: string, context: Context): Promise<string> {
  const resolved = await resolve(entry, context);
  if (Object.keys(resolved).length === 0) return text;
  const body = JSON.parse(text) as AnyTransactionBody;
  return JSON.stringify({ ...body, meta: { ...body.meta, resolved } });
}

async function resolve(entry: TransactionEntry, context: Context): Promise<Resolved> {
  const { id } = entry;
  const { recipientAddress, sourceAddress, mosaicId, mosaics } = transactionOf(entry);
  const joins = loadersOf(context);
  const address = async (text: string | undefined) => {
    const found = text === undefined ? undefined : await joins.resolveAddress(addressIn(text), id);
    return found && hex(found);
  };
  const mosaic = async (text: string) => {
    const found = await joins.resolveMosaic(parseId(text) ?? 0n, id);
    return found === undefined ? text : idText(found);
  };
  const [recipient, source, one, all] = await Promise.all([
    address(recipientAddress),
    address(sourceAddress),
    mosaicId === undefined ? undefined : mosaic(mosaicId),
    mosaics && Promise.all(mosaics.map(async ({ id: written, amount }) => ({ id: await mosaic(written), amount }))),
  ]);
  return {
    ...(recipient !== undefined && { recipientAddress: recipient }),
    ...(source !== undefined && { sourceAddress: source }),
    ...(one !== undefined && { mosaicId: one }),
    ...(all && { mosaics: all }),
  };
}
