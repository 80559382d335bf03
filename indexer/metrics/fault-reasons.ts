/** The kind of a node's invalid data: the label of the metric. */
export const FAULT_REASONS = [
  "block",
  "receipts",
  "state",
  "finalization",
  "answer",
  "network",
  "score",
  "pool",
] as const;

export type FaultReason = (typeof FAULT_REASONS)[number];
