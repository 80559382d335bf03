import type { MultisigBody } from "../body/multisig.js";
import { ADDRESS_SIZE } from "../entity/address.js";
import { hex } from "../entity/hex.js";
import { type StateReader, stateDecoder } from "./state-reader.js";

function readAddresses(reader: StateReader, field: string): readonly Buffer[] {
  return reader.list(reader.uint64(`${field}Count`), ADDRESS_SIZE, field, (path) => reader.address(path));
}

/**
 * Decodes the multisig entry of an account that has cosignatories, or is one. Addresses ascend as bytes. Source:
 * catapult's `MultisigEntrySerializer`.
 */
export const decodeMultisig = stateDecoder("multisig", (reader) => ({
  minApproval: reader.uint32("minApproval"),
  minRemoval: reader.uint32("minRemoval"),
  address: reader.address("address"),
  /** Cosignatories of this account. */
  cosignatoryAddresses: readAddresses(reader, "cosignatoryAddresses"),
  /** Accounts that this one cosigns for. */
  multisigAddresses: readAddresses(reader, "multisigAddresses"),
}));

export type MultisigState = ReturnType<typeof decodeMultisig>;

/** The REST body of a multisig entry (`MultisigAccountInfoDTO`), which has no id. */
export function renderMultisig(multisig: MultisigState): string {
  const body: MultisigBody = {
    multisig: {
      version: 1,
      accountAddress: hex(multisig.address),
      minApproval: multisig.minApproval,
      minRemoval: multisig.minRemoval,
      cosignatoryAddresses: multisig.cosignatoryAddresses.map(hex),
      multisigAddresses: multisig.multisigAddresses.map(hex),
    },
  };
  return JSON.stringify(body);
}
