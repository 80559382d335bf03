import { z } from "zod";
import type { BodyOf } from "../../../catapult/values/scalars.js";

export const AnnounceTransactionInfoDTO = z
  .object({ message: z.string().describe("Confirms that the packet was sent to the node.") })
  .meta({ id: "AnnounceTransactionInfoDTO" });

export type AnnouncementBody = BodyOf<typeof AnnounceTransactionInfoDTO>;
