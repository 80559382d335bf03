import { expect, test } from "@jest/globals";
import { ResumedSubscription } from "../../schema/events/resumed-subscription.js";

/** A log of a client all of whose places for missed events are taken. */
function fullLog(closed: AbortSignal) {
  const done = async () => ({ value: undefined, done: true });
  const live = { next: done, return: done, discard: () => undefined };
  const keepPage = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  return { db: undefined as never, events: { subscribe: () => live } as never, keepPage, closed };
}

test("a subscription that waits for missed events leaves the queue when its connection is closed", async () => {
  const closing = new AbortController();
  const opening = new ResumedSubscription(fullLog(closing.signal), { channel: "block" } as never, 1).open();
  closing.abort();
  const subscription = await opening;
  expect(await subscription.next()).toEqual({ value: undefined, done: true });
});
