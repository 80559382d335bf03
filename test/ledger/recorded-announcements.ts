import { type Cosignature, decodeCosignature } from "../../catapult/entity/cosignature.js";
import { COSIGNATURE } from "../../catapult/entity/entity-layout.js";
import type { Block } from "../../catapult/entity/model.js";
import { dataLines } from "../support/test-data.js";

/** What was reported about a hash. */
export interface ReportedEvent {
  readonly what: "unconfirmed" | "confirmed" | "removed" | "partial" | "partialRemoved" | "cosignature" | "status";
  readonly afterMs: number;
  readonly at: number;
  readonly code?: string;
}

/** An announcement to a real node, and what became of it: see the README of the recording. */
export interface RecordedAnnouncement {
  readonly seq: number;
  readonly name: string;
  readonly packet: "transactions" | "partial" | "cosignature";
  readonly payload: string;
  readonly hash: string;
  readonly pushedMs: number;
  readonly pushedAt: number;
  readonly result: string;
  readonly height?: number;
  readonly code?: string;
  readonly saidAt?: number;
  readonly after?: "unconfirmed" | "partial";
  readonly afterMs?: number;
  readonly sameHashAs?: number;
  readonly because?: string;
  readonly events: readonly ReportedEvent[];
}

export const RECORDING = "announced";

/** Whether the node gave a code for it. */
export function isRejected({ packet, saidAt }: RecordedAnnouncement): boolean {
  return packet !== "cosignature" && saidAt !== undefined;
}

/** All announcements, in the order of sending. */
export function readAnnouncements(): RecordedAnnouncement[] {
  return dataLines(`${RECORDING}/announced.jsonl.gz`);
}

/** When a transaction was in the node's pool, in ms since the recording began. */
interface PoolStay {
  readonly hash: string;
  /** Number of the announcement. */
  readonly seq: number;
  readonly from: number;
  readonly to: number;
}

/** A status is reported as soon as the additions of the same batch, in no certain order. */
const BATCH_MS = 100;

/** The announcements of the recording beside its chain: when the node evaluated each, and what was in its pool then. */
export class RecordedPlay {
  readonly announcements = readAnnouncements();
  readonly #blocks: readonly Block[];
  readonly #payloads = new Map<string, Buffer>();
  readonly #stays: readonly PoolStay[];
  /** How far the recording's clock is ahead of the network's, in ms: its broker reports a block soon after its time. */
  readonly #clockOffset: number;

  constructor(blocks: readonly Block[]) {
    this.#blocks = blocks;
    for (const { packet, hash, payload } of this.announcements) {
      if (packet !== "cosignature") this.#payloads.set(hash, Buffer.from(payload, "hex"));
    }
    // With the cosignatures that completed them.
    for (const { hash, bytes } of blocks.flatMap(({ transactions }) => transactions)) {
      this.#payloads.set(hash.toString("hex").toUpperCase(), bytes);
    }
    this.#stays = this.#readStays();
    this.#clockOffset = this.#readClockOffset();
  }

  /** When the node evaluated an announcement that it rejected: ms since the recording began. */
  evaluatedAt({ pushedMs, afterMs = 0 }: RecordedAnnouncement): number {
    return pushedMs + afterMs;
  }

  /** The network's time then, ms since its epoch. */
  networkTime(announcement: RecordedAnnouncement): number {
    return this.evaluatedAt(announcement) - this.#clockOffset;
  }

  /** The bytes of the other transactions that were in the node's pool then, by arrival. */
  pendingBeside(announcement: RecordedAnnouncement): Buffer[] {
    const at = this.evaluatedAt(announcement);
    return this.#stays.flatMap(({ hash, seq, from, to }) => {
      const wasThere = from <= at + BATCH_MS && to > at && seq < announcement.seq;
      const payload = wasThere && hash !== announcement.hash ? this.#payloads.get(hash) : undefined;
      return payload ? [payload] : [];
    });
  }

  /** The cosignatures of a bonded aggregate that were sent until then. */
  cosignaturesOf(announcement: RecordedAnnouncement): Cosignature[] {
    const at = this.evaluatedAt(announcement);
    return this.announcements.flatMap(({ packet, hash, pushedMs, payload }) =>
      packet === "cosignature" && hash === announcement.hash && pushedMs <= at
        ? [decodeCosignature(Buffer.from(payload, "hex").subarray(0, COSIGNATURE.size))]
        : [],
    );
  }

  #readStays(): PoolStay[] {
    const stays = new Map<string, PoolStay>();
    for (const { seq, hash, pushedMs, events } of this.announcements) {
      const at = (...kinds: ReportedEvent["what"][]) => events.find(({ what }) => kinds.includes(what))?.afterMs;
      const from = at("unconfirmed");
      if (from === undefined || stays.has(hash)) continue;
      const stay = at("confirmed", "removed") ?? Number.POSITIVE_INFINITY;
      stays.set(hash, { hash, seq, from: pushedMs + from, to: pushedMs + stay });
    }
    return [...stays.values()].sort((left, right) => left.from - right.from);
  }

  #readClockOffset(): number {
    const delays = this.announcements.flatMap(({ pushedMs, events }) =>
      events
        .filter(({ what }) => what === "confirmed")
        .map(({ afterMs, at }) => pushedMs + afterMs - (this.#blocks[at - 1]?.timestamp ?? 0)),
    );
    return Math.min(...delays);
  }
}
