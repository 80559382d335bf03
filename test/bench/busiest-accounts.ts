import { withClient } from "../support/database.js";

/** Addresses of accounts, 24 bytes each, those with the most transactions first. */
export function busiestAccounts(databaseUrl: string): Promise<Buffer[]> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ address: Buffer }>(
      `select a.address from transaction_addresses t join keys k on k.id = t.account / 2 join accounts a on a.address = k.key
        where t.account % 2 = 0 group by a.address order by count(*) desc`,
    );
    return rows.map(({ address }) => address);
  });
}
