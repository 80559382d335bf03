import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import type { DepositBody } from "../../catapult/json/deposit.js";
import { idText } from "../../catapult/json/format.js";
import {
  type AccountMovement,
  type MovementFilter,
  type MovementPosition,
  readAccountMovements,
} from "../../database/balances/account-movements.js";
import type { Db } from "../../database/database.js";
import type { Order } from "../../database/lists/list.js";
import { requireHead } from "../../database/queries/head.js";
import { readDivisibilities } from "../../database/queries/mosaics.js";
import { readEpochAdjustment } from "../../database/queries/network.js";
import { formatWholeUnits, textOfMessage } from "../graph/formats.js";

/** Without what grows with the chain. */
export type StableDeposit = Omit<DepositBody, "confirmations" | "isFinal">;

interface Page {
  readonly first: number;
  readonly after?: MovementPosition | undefined;
  readonly order: Order;
}

/** What an account received by transfers of others, in the order of the chain or the opposite one. */
export async function readStableDeposits(db: Db, filter: MovementFilter, page: Page): Promise<StableDeposit[]> {
  const movements = await readAccountMovements(db, { ...filter, depositsOnly: true }, page);
  const mosaicIds = [...new Set(movements.map(({ mosaicId }) => mosaicId))];
  const divisibilities = await readDivisibilities(db, mosaicIds);
  const divisibilityOf = new Map(mosaicIds.map((id, index) => [id, divisibilities[index]]));
  const epoch = await readEpochAdjustment(db);
  return movements.map((one) => renderDeposit(one, filter.address, divisibilityOf.get(one.mosaicId), epoch));
}

/** The same as bodies of REST, with the confirmations that they have now. */
export async function readDeposits(db: Db, filter: MovementFilter, page: Page): Promise<DepositBody[]> {
  const found = await readStableDeposits(db, filter, page);
  const { height, finalization } = await requireHead(db);
  return found.map((one) => ({
    ...one,
    confirmations: Math.max(0, height - Number(one.height)),
    isFinal: Number(one.height) <= finalization.height,
  }));
}

function renderDeposit(
  { key, height, position, timestamp, hash, embeddedIndex, counterparty, mosaicId, change, message }: AccountMovement,
  recipient: Buffer,
  divisibility: number | undefined,
  epoch: number | undefined,
): StableDeposit {
  const text = message && textOfMessage(message);
  return {
    id: `${height}.${position}`,
    key,
    height: String(height),
    ...(epoch !== undefined && { time: new Date(epoch + timestamp).toISOString() }),
    hash: hex(hash ?? Buffer.alloc(0)),
    ...(embeddedIndex > 0 && { embeddedIndex: embeddedIndex - 1 }),
    sender: encodeAddress(counterparty ?? recipient),
    recipient: encodeAddress(recipient),
    mosaicId: idText(mosaicId),
    amount: String(change),
    ...(divisibility !== undefined && { units: formatWholeUnits(change, divisibility) }),
    ...(text != null && { message: text }),
    ...(message && { messageHex: hex(message) }),
  };
}
