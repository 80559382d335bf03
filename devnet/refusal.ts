/**
 * Why a node refuses transactions: the node's own names and numbers (`validators/Results.h` of its plugins), as far as
 * a devnet gives them.
 */
export const RefusalCode = {
  Failure_Core_Past_Deadline: 0x80430001,
  Failure_Core_Future_Deadline: 0x80430002,
  Failure_Core_Insufficient_Balance: 0x80430003,
  Failure_Core_Nemesis_Account_Signed_After_Nemesis_Block: 0x80430005,
  Failure_Core_Wrong_Network: 0x80430006,
  Failure_Core_Invalid_Address: 0x80430007,
  Failure_Core_Invalid_Version: 0x80430008,
  Failure_Core_Invalid_Transaction_Fee: 0x80430009,
  Failure_Core_Zero_Public_Key: 0x8043000c,
  Failure_Core_Nonzero_Internal_Padding: 0x8043000d,
  Failure_Transfer_Message_Too_Large: 0x80540001,
  Failure_Transfer_Out_Of_Order_Mosaics: 0x80540002,
  Failure_Aggregate_Too_Many_Transactions: 0x80410001,
  Failure_Aggregate_No_Transactions: 0x80410002,
  Failure_Aggregate_Too_Many_Cosignatures: 0x80410003,
  Failure_Aggregate_Redundant_Cosignatures: 0x80410004,
  Failure_Aggregate_Ineligible_Cosignatories: 0x80410005,
  Failure_Aggregate_Missing_Cosignatures: 0x80410006,
  Failure_Aggregate_Transactions_Hash_Mismatch: 0x80410007,
  Failure_Aggregate_V1_Prohibited: 0x80410008,
  Failure_Chain_Unconfirmed_Cache_Too_Full: 0x80ff0007,
  Failure_Consumer_Batch_Signature_Not_Verifiable: 0x80fe000b,
} as const;

/** Name of a reason, such as `Failure_Core_Insufficient_Balance`. */
export type RefusalName = keyof typeof RefusalCode;

/** A transaction that was refused, as the node's status messages tell it. */
export interface Refusal {
  /** Hash of the transaction, 32 bytes. */
  readonly hash: Buffer;
  readonly name: RefusalName;
  readonly code: number;
  /** Milliseconds since the network's epoch. */
  readonly deadline: number;
}
