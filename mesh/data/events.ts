import { endpoint } from "../standard/endpoint.js";
import { MeshError } from "../standard/errors.js";
import { EventsBlocksRequest, type EventsBlocksResponse } from "../standard/schemas.js";

/** Events of a response, by default and at most. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

interface EventsData {
  readonly events: {
    readonly newestSequence: number | null;
    readonly data: readonly {
      readonly sequence: number;
      readonly height: number;
      readonly hash: string;
      readonly isRemoval: boolean;
    }[];
  };
}

/** Additions and removals of blocks; the newest ones without an offset. */
export const eventsBlocks = endpoint<typeof EventsBlocksRequest, EventsBlocksResponse>({
  path: "/events/blocks",
  request: EventsBlocksRequest,
  operations: {
    events: `query ($from: SafeInt, $first: Int) {
      events: blockEvents(from: $from, first: $first) { newestSequence data { sequence height hash isRemoval } }
    }`,
  },
  answer: async ({ offset, limit = DEFAULT_LIMIT }, { ask }) => {
    const first = Math.min(Math.max(limit, 1), MAX_LIMIT);
    const { events } = await ask<EventsData>("events", { from: offset, first });
    if (events.newestSequence === null) throw new MeshError("unavailable", { problem: "nothing is indexed yet" });
    const shown = limit === 0 ? [] : events.data;
    return {
      max_sequence: events.newestSequence,
      events: shown.map(({ sequence, height, hash, isRemoval }) => ({
        sequence,
        block_identifier: { index: height, hash },
        type: isRemoval ? ("block_removed" as const) : ("block_added" as const),
      })),
    };
  },
});
