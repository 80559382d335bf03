import { z } from "zod";
import { AnyReceipt } from "../structs/receipt.js";
import {
  AddressHex,
  Amount,
  BlockFeeMultiplier,
  type BodyOf,
  count,
  Hash256,
  Height,
  Hex,
  MosaicId,
} from "../values/scalars.js";

export const SimulationDTO = z
  .object({
    hash: Hash256.describe("Hash of the transaction; with another signature it is another one."),
    code: z
      .string()
      .describe("`Success`, or why a node would reject the transaction, such as `Failure_Core_Insufficient_Balance`."),
    reason: z.string().describe("The invalid field in words, if no state is needed to see it.").optional(),
    height: Height.describe("Height of the block on which the transaction was tried."),
    fee: z
      .object({
        size: count.describe("Size in bytes, with the cosignatures that are still missing."),
        maxFee: Amount.describe("Maximum fee of the transaction."),
        feeMultiplier: BlockFeeMultiplier.describe("Median fee multiplier of the latest blocks."),
        expected: Amount.describe("Fee at this multiplier, at most the maximum fee."),
        minimum: Amount.describe("Lowest maximum fee that the node accepts for this size."),
      })
      .meta({ id: "SimulatedFeeDTO", description: "What the transaction would pay, in atomic units of the currency." }),
    balances: z
      .array(
        z
          .object({
            address: AddressHex.describe("Address of the account."),
            mosaicId: MosaicId.describe("Id of the mosaic."),
            before: Amount.describe("Balance before, in atomic units."),
            after: Amount.describe("Balance after, in atomic units."),
          })
          .meta({ id: "SimulatedBalanceDTO", description: "Balance that the transaction changes, its fee included." }),
      )
      .describe("Balances that the transaction would change."),
    receipts: z.array(AnyReceipt).describe("Receipts, in the order of the transaction's parts."),
    entries: z
      .array(
        z
          .object({
            kind: z.string().describe("Kind of the entry, such as `account` or `hashLock`."),
            key: Hex.describe("Key of the entry: an address, an id, or a composite hash."),
            change: z.enum(["created", "changed", "removed"]).describe("What happens to the entry."),
          })
          .meta({ id: "SimulatedEntryDTO", description: "Entry of the state that the transaction changes." }),
      )
      .describe("Entries of the state that the transaction would change."),
    missingCosignatures: z
      .array(
        z
          .object({
            address: AddressHex.describe("Account whose approval is missing."),
            needed: count.describe("Number of cosigners that still have to sign for it."),
            cosigners: z.array(AddressHex).describe("Accounts whose signature counts: itself, or its cosignatories."),
          })
          .meta({ id: "MissingCosignatureDTO", description: "Approval that an aggregate lacks." }),
      )
      .describe("Approvals that the aggregate lacks."),
    hasLock: z.boolean().describe("Whether the hash lock of a bonded aggregate is there.").optional(),
  })
  .meta({ id: "SimulationDTO", description: "What would happen to a transaction in the next block." });

/** The REST body of a simulated transaction. */
export type SimulationBody = BodyOf<typeof SimulationDTO>;
