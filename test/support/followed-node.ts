import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { Executor } from "../../indexer/chain/execution/executor.js";
import { withSinks } from "../../indexer/chain/execution/options.js";
import { Filler } from "../../indexer/chain/fill/filler.js";
import { Finality } from "../../indexer/chain/finality/finality.js";
import { follow } from "../../indexer/chain/follow/follow.js";
import { NodeSource } from "../../indexer/chain/source/node-source.js";
import { agreeOnNetwork, noteEpoch } from "../../indexer/chain/step/network.js";
import { NO_LISTENER } from "../../indexer/chain/step/range-listener.js";
import { RangeWriter } from "../../indexer/chain/write/write.js";
import { DEFAULT_LIMITS } from "../../indexer/limits/indexer-limits.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { indexContext, onlyNode } from "./index-context.js";

/**
 * Follows a node in this process, without its pending transactions, until `signal` ends it.
 *
 * @param awaitNews is called whenever the index has everything that the node has
 * @throws what ends a round
 */
export async function followNode(
  db: Db,
  node: NodeClient,
  config: NetworkConfig,
  awaitNews: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const network = withSinks(await agreeOnNetwork(db, node), config);
  await noteEpoch(db, config.epochAdjustment);
  const context = { ...indexContext(db, network), config };
  const options = {
    ...context,
    source: new NodeSource(onlyNode(node), DEFAULT_LIMITS),
    ledger: new Executor(context),
    finality: new Finality(context),
    writer: new RangeWriter(context),
    filler: new Filler({ jobs: 1, checksSignatures: true, onWritten: () => undefined }),
    listener: { ...NO_LISTENER, awaitNews },
  };
  await follow(options, signal);
}
