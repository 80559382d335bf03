import { z } from "zod";
import { Amount, type BodyOf, count, Hash256, Height, Hex, MosaicId } from "../values/scalars.js";

/** An amount that an account received by a transfer, as REST and webhooks send it. */
export const DepositDTO = z
  .object({
    id: z.string().describe("Place in the list, for `offset`; a fork may change it."),
    key: z
      .string()
      .describe(
        "Names the deposit for ever, whatever block a fork moves it to: credit each key once. As in the books.",
      ),
    height: Height.describe("Height of the block."),
    time: z.string().optional().describe("Time of the block; absent while the index does not know the network's time."),
    confirmations: count.describe("Number of blocks above its own, when it was sent."),
    isFinal: z.boolean().describe("Whether no fork can take it back any more."),
    hash: Hash256.describe("Hash of the transaction, or of the aggregate that contains it."),
    embeddedIndex: count.optional().describe("Position in the aggregate, from 0; absent if it is not embedded."),
    sender: z.string().describe("Address of the sender, in base32."),
    recipient: z.string().describe("Address of the account, in base32, also if the transfer names an alias."),
    mosaicId: MosaicId.describe("Id of the mosaic, also if the transfer names an alias."),
    amount: Amount,
    units: z.string().optional().describe("Amount in whole units of the mosaic; absent if the mosaic is unknown."),
    message: z.string().optional().describe("Plain text of the message; absent if there is none, or it is no text."),
    messageHex: Hex.optional().describe("The message's bytes, of which the first is the kind; absent if it is empty."),
  })
  .meta({ id: "DepositDTO", description: "An amount that an account received by a transfer of another account." });

export type DepositBody = BodyOf<typeof DepositDTO>;
