import { sql } from "kysely";
import { encodeAddress } from "../../catapult/entity/address.js";
import type { RecordedStateGateway } from "../support/recorded-state-gateway.js";

/** Addresses of all kinds of pages about the recorded chain, below the explorer's. */
export async function recordedPages(served: RecordedStateGateway): Promise<string[]> {
  const { data } = await served.ask(`{
    transfers: transactions(first: 1, type: [16724]) { data { hash } }
    aggregates: transactions(first: 1, type: [16961]) { data { hash } }
    blocks(first: 1) { data { harvester { address } } }
    namespaces(first: 1, aliasType: 1) { data { namespaceId name } }
    currency { mosaicId }
  }`);
  const [{ namespaceId, name }] = data.namespaces.data;
  const multisig = sql<{ address: Buffer }>`select address from multisigs where min_approval > 0 limit 1`;
  const { rows } = await multisig.execute(served.index.db);
  return [
    "",
    "/block/2",
    `/transaction/${data.transfers.data[0].hash}`,
    `/transaction/${data.aggregates.data[0].hash}`,
    `/account/${data.blocks.data[0].harvester.address}`,
    `/account/${encodeAddress(rows[0]!.address)}`,
    `/mosaic/${data.currency.mosaicId}`,
    `/namespace/${namespaceId}`,
    `/namespace/${name}`,
    ...["blocks", "transactions", "accounts", "mosaics", "namespaces", "harvesters", "charts", "network", "node"].map(
      (one) => `/${one}`,
    ),
    "/pending?group=partial",
    "/search?q=symbol",
  ];
}
