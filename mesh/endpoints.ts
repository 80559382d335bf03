import { constructionEndpoints } from "./construction/endpoints.js";
import { accountBalance, accountCoins } from "./data/account.js";
import { block, blockTransaction } from "./data/block.js";
import { call } from "./data/call.js";
import { eventsBlocks } from "./data/events.js";
import { mempool, mempoolTransaction } from "./data/mempool.js";
import { networkList, networkOptions, networkStatus } from "./data/network.js";
import { searchTransactions } from "./data/search.js";
import type { Endpoint } from "./standard/endpoint.js";

/** Every endpoint of Mesh. */
export const endpoints: readonly Endpoint[] = [
  networkList,
  networkOptions,
  networkStatus,
  block,
  blockTransaction,
  accountBalance,
  accountCoins,
  mempool,
  mempoolTransaction,
  eventsBlocks,
  searchTransactions,
  call,
  ...constructionEndpoints,
];
