import { z } from "zod";
import { FinalizedBlockDTO } from "../../../catapult/structs/block.js";
import { type BodyOf, Height, UInt64 } from "../../../catapult/values/scalars.js";
import { json, operationRoute, type Route } from "../route/route.js";

const ChainInfoDTO = z
  .object({
    height: Height.describe("Height of the newest block."),
    scoreHigh: UInt64.describe("Upper 64 bits of the chain's score."),
    scoreLow: UInt64.describe("Lower 64 bits of the chain's score."),
    latestFinalizedBlock: FinalizedBlockDTO.describe("Highest block that votes have finalized: it cannot be replaced."),
  })
  .meta({ id: "ChainInfoDTO" });

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
        json<BodyOf<typeof ChainInfoDTO>>({
          ...chain,
          height: String(chain.height),
          latestFinalizedBlock: { ...latestFinalizedBlock, height: String(latestFinalizedBlock.height) },
        }),
    },
  ),
];
