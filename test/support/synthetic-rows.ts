/*
 * What a made-up chain says of its entities, in the plainest form: how tables hold it is decided where it is written.
 * Ids have 12 bytes.
 */

export interface SyntheticBlockRow {
  readonly id: Buffer;
  readonly height: number;
  readonly hash: Buffer;
  readonly generation_hash: Buffer;
  readonly type: number;
  readonly timestamp: number;
  readonly difficulty: bigint;
  readonly score: bigint;
  readonly fee_multiplier: number;
  readonly total_fee: number;
  readonly signer_public_key: Buffer;
  readonly signer_address: Buffer;
  readonly beneficiary_address: Buffer;
  readonly harvester_address: Buffer;
  readonly transactions_count: number;
  readonly total_transactions_count: number;
  readonly statements_count: number;
  readonly size: number;
  readonly document: string;
}

export interface SyntheticTransactionRow {
  readonly id: Buffer;
  readonly embedded: boolean;
  readonly hash: Buffer | null;
  readonly merkle_component_hash: Buffer | null;
  readonly type: number;
  readonly version: number;
  readonly signer_public_key: Buffer;
  readonly signer_address: Buffer;
  readonly recipient_address: Buffer | null;
  readonly max_fee: number | null;
  readonly fee: number | null;
  readonly deadline: number | null;
  readonly size: number;
  readonly document: string;
}

export interface SyntheticMosaicRow {
  readonly mosaic_id: Buffer;
  readonly id: Buffer;
  readonly embedded: boolean;
  readonly amount: number;
}

export interface SyntheticStatementRow {
  readonly id: Buffer;
  readonly primary_id: number;
  readonly secondary_id: number;
  readonly hash: Buffer;
  readonly document: string;
}

export interface SyntheticReceiptRow {
  readonly statement_id: Buffer;
  readonly index: number;
  readonly type: number;
  readonly sender_address: Buffer | null;
  readonly recipient_address: Buffer | null;
  readonly target_address: Buffer | null;
  readonly mosaic_id: Buffer | null;
  readonly amount: number | null;
  readonly artifact_id: Buffer | null;
}

export interface SyntheticResolutionRow {
  readonly id: Buffer;
  readonly unresolved: Buffer;
  readonly hash: Buffer;
  readonly document: string;
}
