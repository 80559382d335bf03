import type { MultisigBody } from "../body/multisig.js";
import { ADDRESS_SIZE } from "../entity/address.js";
import { hex } from "../entity/hex.js";
import { StateReader } from "./state-reader.js";

/** The multisig entry of an account that has cosignatories, or is one. Addresses ascend as bytes. */
export interface MultisigState {
  readonly address: Buffer;
  readonly minApproval: number;
  readonly minRemoval: number;
  /** Cosignatories of this account. */
  readonly cosignatoryAddresses: readonly Buffer[];
  /** Accounts that this one cosigns for. */
  readonly multisigAddresses: readonly Buffer[];
}

function readAddresses(reader: StateReader, field: string): Buffer[] {
  return reader.list(reader.uint64(`${field}Count`), ADDRESS_SIZE, field, (path) => reader.address(path));
}

/**
 * Decodes the state value of a multisig entry, which fills `value` exactly.
 * Source: catapult's `MultisigEntrySerializer`. Throws `EntityError` naming the field.
 */
export function decodeMultisig(value: Buffer): MultisigState {
  const reader = new StateReader(value, "multisig");
  reader.version();
  const minApproval = reader.uint32("minApproval");
  const minRemoval = reader.uint32("minRemoval");
  const address = reader.address("address");
  const cosignatoryAddresses = readAddresses(reader, "cosignatoryAddresses");
  const multisigAddresses = readAddresses(reader, "multisigAddresses");
  reader.end();
  return { address, minApproval, minRemoval, cosignatoryAddresses, multisigAddresses };
}

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
