import type { Db } from "../../database/database.js";
import { createDeferredIndexes } from "../../indexer/step/deferred-indexes.js";
import { arrangeMessageIndex } from "../../indexer/step/message-index.js";
import { silentLog } from "./connection-fixtures.js";

/** Creates the index over messages as an indexer does when it starts with `MESSAGE_INDEX=on`. */
export async function createMessageIndex(db: Db): Promise<void> {
  await arrangeMessageIndex({ db, log: silentLog }, true);
  await createDeferredIndexes({ db, log: silentLog }, new AbortController().signal);
}
