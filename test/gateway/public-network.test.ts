import { expect, test } from "@jest/globals";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { publicNetworkNamed } from "../../catapult/network/public-networks.js";
import { openDatabase } from "../../database/connection.js";
import { idKey } from "../../database/lists/collections.js";
import { stateId } from "../../database/queries/state-entries.js";
import { GatewayFixture } from "./gateway-fixture.js";

/** As every node of the main network has them in its rest.json. */
const UNCIRCULATING = [
  "A4739036FD7EFED2750A51EE9D1D3113BA3F9849E0889213CED7F221B2AA1A20",
  "2BF1E1F3072E3BE0CD851E4741E101E33DB19C163895F69AA890E7CF177C878C",
  "E85D10BF47FFBCE2230F70CB43ED2DDE04FCF342524B383972F86EA1FF773C79",
  "FE454406EFC15EBBCF4C27491519B7EBE696AD2D734A53E02019FC5D02D1419C",
];

test("the circulating supply of the main network is that of all its nodes, without a setting", async () => {
  const { identifier, generationHashSeed, network } = publicNetworkNamed("mainnet");
  const nemesis = network.section("network").hex("nemesisSignerPublicKey");
  const currency = idKey(network.section("chain").bigint("currencyMosaicId"));
  const gateway = await GatewayFixture.start(3, async ({ url }) => {
    const db = openDatabase({ url, poolSize: 1 });
    await db
      .updateTable("head")
      .set({ network_identifier: identifier, generation_hash_seed: generationHashSeed })
      .execute();
    await db.updateTable("mosaics").set({ mosaic_id: currency, supply: 1_000_000_000n }).execute();
    const owners = [...UNCIRCULATING.map((key) => Buffer.from(key, "hex")), nemesis];
    for (const [index, publicKey] of owners.entries()) {
      const id = stateId(1_000 + index);
      const address = addressOfPublicKey(publicKey, identifier);
      const account = {
        id,
        address,
        public_key: publicKey,
        account_type: 0,
        importance: 0n,
        importance_height: 0,
        address_height: 1,
      };
      await db
        .insertInto("accounts")
        .values({ ...account, value: Buffer.alloc(0) })
        .execute();
      await db
        .insertInto("account_balances")
        .values({ id, mosaic_id: currency, amount: 10n ** BigInt(index) })
        .execute();
    }
    await db.destroy();
    return { resourcesDirectory: undefined };
  });
  try {
    expect((await gateway.get("/network/currency/supply/circulating")).text).toBe("999.988889");
  } finally {
    await gateway.close();
  }
});
