import { endpoint } from "../standard/endpoint.js";
import { errorBodies, MeshError } from "../standard/errors.js";
import { OPERATION_TYPES } from "../standard/operation-types.js";
import { PENDING, REFERENCE_SUCCESS, SUCCESS } from "../standard/operations.js";
import {
  MESH_VERSION,
  MetadataRequest,
  type NetworkListResponse,
  type NetworkOptionsResponse,
  NetworkRequest,
  type NetworkStatusResponse,
} from "../standard/schemas.js";

/** Four numbers of a byte each, the first in the upper bits. */
const VERSION_SHIFTS = [24, 16, 8, 0];

export const networkList = endpoint<typeof MetadataRequest, NetworkListResponse>({
  path: "/network/list",
  request: MetadataRequest,
  answer: (_request, { network }) => ({ network_identifiers: [network.identifier] }),
});

export const networkOptions = endpoint<typeof NetworkRequest, NetworkOptionsResponse>({
  path: "/network/options",
  request: NetworkRequest,
  operations: { versions: "{ nodeInfo { version } gateway { version } }" },
  answer: async (_request, { askNow, network }) => {
    const { nodeInfo, gateway } = await askNow<VersionsData>("versions");
    return {
      version: {
        rosetta_version: MESH_VERSION,
        node_version: formatNodeVersion(nodeInfo.version),
        middleware_version: gateway.version,
      },
      allow: {
        operation_statuses: [
          { status: network.isLikeReference ? REFERENCE_SUCCESS : SUCCESS, successful: true },
          { status: PENDING, successful: false },
        ],
        operation_types: [...OPERATION_TYPES],
        errors: [...errorBodies],
        historical_balance_lookup: true,
        timestamp_start_index: 1,
        call_methods: [],
        balance_exemptions: [],
        mempool_coins: false,
        block_hash_case: "upper_case",
        transaction_hash_case: "upper_case",
      },
    };
  },
});

interface VersionsData {
  readonly nodeInfo: { readonly version: number };
  readonly gateway: { readonly version: string };
}

export const networkStatus = endpoint<typeof NetworkRequest, NetworkStatusResponse>({
  path: "/network/status",
  request: NetworkRequest,
  operations: {
    chain: "{ newestBlock: namedBlock { height hash timestamp } block(height: 1) { hash } }",
    node: "{ indexStatus { nodeHeight } }",
    peers: "{ nodePeers { publicKey friendlyName } }",
  },
  answer: async (_request, { network, ask, askNow }) => {
    const [{ newestBlock, block }, { indexStatus }, peers] = await Promise.all([
      ask<ChainData>("chain"),
      askNow<{ indexStatus: { nodeHeight: number | null } }>("node"),
      // Without a reachable node, the rest of the answer is still of use.
      askNow<PeersData>("peers").catch(() => undefined),
    ]);
    if (!newestBlock || !block) throw new MeshError("unavailable", { problem: "nothing is indexed yet" });
    const { nodeHeight } = indexStatus;
    return {
      current_block_identifier: { index: newestBlock.height, hash: newestBlock.hash },
      current_block_timestamp: network.epochAdjustment + newestBlock.timestamp,
      genesis_block_identifier: { index: 1, hash: block.hash },
      ...(nodeHeight !== null && {
        sync_status: {
          current_index: newestBlock.height,
          target_index: Math.max(nodeHeight, newestBlock.height),
          synced: nodeHeight <= newestBlock.height,
        },
      }),
      ...(peers && {
        peers: peers.nodePeers.map(({ publicKey, friendlyName }) => ({
          peer_id: publicKey,
          metadata: { name: friendlyName },
        })),
      }),
    };
  },
});

interface ChainData {
  readonly newestBlock: { readonly height: number; readonly hash: string; readonly timestamp: number } | null;
  readonly block: { readonly hash: string } | null;
}

interface PeersData {
  readonly nodePeers: readonly { readonly publicKey: string; readonly friendlyName: string }[];
}

function formatNodeVersion(version: number): string {
  return VERSION_SHIFTS.map((shift) => (version >>> shift) & 0xff).join(".");
}
