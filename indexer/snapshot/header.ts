import type { FrameMeta } from "./frame.js";

/** The first frame of a snapshot: what it contains. */
export interface SnapshotHeader extends FrameMeta {
  readonly kind: "header";
  /** Blocks and finalization proofs, or all tables. */
  readonly content: "blocks" | "tables";
  /** Of the program that saved it. */
  readonly program: string;
  readonly networkIdentifier: number;
  /** 64 hex digits. */
  readonly generationHashSeed: string;
  /** Of the newest block. */
  readonly height: number;
  /** 64 hex digits. */
  readonly hash: string;
  /** Whether blocks have statements and roots of state trees: those of an index whose state was read from a node. */
  readonly hasStatements: boolean;
  /** For all tables: the migrations of their schema. */
  readonly migrations: readonly string[];
}

/** Progress of saving, verifying or restoring. */
export interface SnapshotProgress {
  readonly stage: "saving" | "verifying" | "restoring";
  /** Up to `total`, in `unit`. */
  readonly done: number;
  readonly total: number;
  readonly unit: "blocks" | "bytes" | "parts";
}
