import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { type ParentBlock, verifyBlock } from "../../catapult/verify/verify.js";
import type { Db } from "../../database/database.js";
import { writeStep } from "../../indexer/follow/write.js";
import { registrationRows } from "../../indexer/state/registrations.js";
import { insertHead } from "../../indexer/step/network.js";
import type { StateChange } from "../../indexer/step/state-change.js";
import { BEFORE_NEMESIS } from "../../indexer/step/step.js";
import type { ServedBlock } from "./branch-node.js";

/** A step that changes no state. */
export const NO_STATE_CHANGE: StateChange = {
  registrations: [],
  values: [],
  replaced: [],
  votingSets: [],
  overruled: [],
  differing: [],
  difference: undefined,
  floor: 0,
};

/** Writes blocks that nothing can execute into an empty database, as an indexer does, but without state. */
export async function writeBlocks(db: Db, network: NetworkIdentity, blocks: readonly ServedBlock[]): Promise<void> {
  await insertHead(db, network);
  let previous: ParentBlock | undefined;
  for (const { block, statement } of blocks) {
    const verified = verifyBlock({ bytes: block, statementBytes: statement, network, ...(previous && { previous }) });
    await writeStep(db, {
      previous: previous ?? BEFORE_NEMESIS,
      blocks: [verified],
      state: { ...NO_STATE_CHANGE, registrations: registrationRows(verified) },
      announce: true,
    });
    previous = verified;
  }
}
