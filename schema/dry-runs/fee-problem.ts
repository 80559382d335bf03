import type { FailureName } from "../../catapult/announcement/status-code.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import type { BlockTransaction } from "../../catapult/entity/model.js";
import { decodeState } from "../../catapult/state/state.js";
import type { Db } from "../../database/database.js";
import { hasPending } from "../../database/mempool/announcements.js";
import { readStateValues } from "../../database/queries/state-entries.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";

/** The node's code, and the reason in words. */
export interface FeeProblem {
  readonly code: FailureName;
  readonly reason: string;
}

/**
 * Why a transaction cannot be paid: its signer has less than its maximum fee, and nothing that may be pending concerns
 * him, so that he cannot have more when it is executed. A node says the same, before all that costs more.
 *
 * @param now milliseconds since the network's epoch
 */
export async function findFeeProblem(
  snapshot: Db,
  { entity, hash }: BlockTransaction,
  { currencyMosaicId, networkIdentifier }: NetworkConfig,
  now: number,
): Promise<FeeProblem | undefined> {
  const address = addressOfPublicKey(entity.signerPublicKey, networkIdentifier);
  const [found] = await readStateValues(snapshot, [{ kind: "account", key: address }]);
  const mosaics = found ? decodeState("account", found.value).mosaics : [];
  const has = mosaics.find(({ id }) => id === currencyMosaicId)?.amount ?? 0n;
  if (has >= entity.maxFee || (await hasPending(snapshot, address, hash, now))) return undefined;
  const reason = `transaction.maxFee: is ${entity.maxFee}, of which its signer has ${has}`;
  return { code: "Failure_Core_Insufficient_Balance", reason };
}
