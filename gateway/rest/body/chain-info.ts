import { z } from "zod";
import { FinalizedBlockDTO } from "../../../catapult/nouns/block.js";
import { type BodyOf, Height, UInt64 } from "../../../catapult/values/scalars.js";

export const ChainInfoDTO = z
  .object({
    height: Height.describe("Height of the newest block."),
    scoreHigh: UInt64.describe("Upper 64 bits of the chain's score."),
    scoreLow: UInt64.describe("Lower 64 bits of the chain's score."),
    latestFinalizedBlock: FinalizedBlockDTO,
  })
  .meta({ id: "ChainInfoDTO" });

export type ChainInfoBody = BodyOf<typeof ChainInfoDTO>;
