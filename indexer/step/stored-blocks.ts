import type { NetworkIdentity, VerifiedBlock } from "../../catapult/entity/model.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import type { Db } from "../../database/database.js";
import { readRawBlocks } from "../../database/queries/blocks.js";

/** Some blocks of the database, which were verified before they were written. */
export async function storedBlocks(
  db: Db,
  network: NetworkIdentity,
  from: number,
  to: number,
): Promise<VerifiedBlock[]> {
  const rows = await readRawBlocks(db, from, to);
  return rows.map(({ block, statement }) =>
    verifyBlock({ bytes: block, statementBytes: statement, network, checkSignatures: false }),
  );
}
