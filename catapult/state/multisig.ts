import { z } from "zod";
import { ADDRESS_SIZE } from "../entity/address.js";
import { member } from "../values/forms.js";
import * as part from "./noun.js";
import { bodyOf, codecOf, count64, list, membersOf, type ValuesOf } from "./noun.js";

const addresses = list(part.address, ADDRESS_SIZE, count64);

/** Addresses ascend as bytes. */
const PARTS = {
  minApproval: member(part.uint32, "Cosignatures required for a transaction; 0 for an account without cosignatories."),
  minRemoval: member(part.uint32, "Cosignatures required to remove a cosignatory."),
  accountAddress: member(part.address, "Address of the account that the entry is about."),
  cosignatoryAddresses: member(addresses, "Accounts that cosign for this one."),
  multisigAddresses: member(addresses, "Accounts that this one cosigns for."),
} as const;

/**
 * The multisig entry of an account that has cosignatories, or is one. Source: catapult's `MultisigEntrySerializer`.
 */
export const MULTISIG_CODEC = codecOf("multisig", PARTS);

export type MultisigState = ValuesOf<typeof PARTS>;

const { accountAddress, ...others } = membersOf(PARTS);

/** The REST body of a multisig entry, which has no id. */
export const MULTISIG_BODY = bodyOf(
  {
    id: "MultisigAccountInfoDTO",
    description: "The multisig entry of an account.",
    member: "multisig",
    stateId: "MultisigDTO",
    beside: {},
  },
  { accountAddress, ...others },
);

export const MultisigAccountGraphInfoDTO = z
  .object({
    level: z.int().describe("0 the requested account, below 0 accounts it cosigns for, above 0 its cosignatories."),
    multisigEntries: z.array(MULTISIG_BODY.schema).describe("Multisig entries of the level."),
  })
  .meta({ id: "MultisigAccountGraphInfoDTO", description: "A level of a multisig graph." });
