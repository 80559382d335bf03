import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { MOSAIC_CODEC } from "../../catapult/state/mosaic.js";
import type { Db } from "../../database/database.js";
import { idKey } from "../../database/lists/collections.js";
import { stateId } from "../../database/queries/state-entries.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { createNetwork } from "../../devnet/network/network.js";
import { writeResources } from "../../devnet/network/resources.js";
import { DEFAULT_RULES } from "../../devnet/network/settings.js";

const network = createNetwork(deriveDevnetKeys("made up"), DEFAULT_RULES);

/** Writes the resource files of a node whose network has the currency of {@link writeCurrency}. */
export function writeMadeUpResources(directory: string): Promise<void> {
  return writeResources(directory, network, { host: "node.example", port: 7900, friendlyName: "made-up node" });
}

const OWNER = addressOfPublicKey(Buffer.alloc(32, 1), DEFAULT_RULES.networkIdentifier);
const id = stateId(1);
const mosaic = {
  id: network.currencyMosaicId,
  supply: 1_000_000n,
  startHeight: 1,
  ownerAddress: OWNER,
  revision: 1,
  flags: 2,
  divisibility: 6,
  duration: 0n,
};

/** Adds the currency to the mosaics of a synthetic state, but to no list. */
export async function writeCurrency(db: Db): Promise<void> {
  await db
    .insertInto("mosaics")
    .values({
      id,
      mosaic_id: idKey(network.currencyMosaicId),
      value: MOSAIC_CODEC.encode(mosaic),
      owner_address: OWNER,
      supply: mosaic.supply,
      start_height: 1,
      end_height: null,
      flags: mosaic.flags,
      divisibility: mosaic.divisibility,
    })
    .execute();
}
