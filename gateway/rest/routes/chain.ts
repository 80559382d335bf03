import { type ChainInfoBody, ChainInfoDTO } from "../body/chain-info.js";
import { json, operationRoute, type Route } from "../route/route.js";

interface ChainData {
  readonly chain: {
    readonly height: number;
    readonly scoreHigh: string;
    readonly scoreLow: string;
    readonly latestFinalizedBlock: {
      readonly finalizationEpoch: number;
      readonly finalizationPoint: number;
      readonly height: number;
      readonly hash: string;
    };
  };
}

export const chainRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/chain/info",
      operationId: "getChainInfo",
      tag: "Chain",
      summary: "Height and score of the served chain, and its latest finalized block.",
      arguments: {},
      result: ChainInfoDTO,
    },
    {
      operation: `{
        chain {
          height scoreHigh scoreLow
          latestFinalizedBlock { finalizationEpoch finalizationPoint height hash }
        }
      }`,
      followsChain: true,
      answer: ({ chain: { latestFinalizedBlock, ...chain } }: ChainData) =>
        json<ChainInfoBody>({
          ...chain,
          height: String(chain.height),
          latestFinalizedBlock: { ...latestFinalizedBlock, height: String(latestFinalizedBlock.height) },
        }),
    },
  ),
];
