import { expect, test } from "@jest/globals";
import { ConnectionClosedError, RequestPausedError } from "../../catapult/wire/errors.js";
import { NetworkClock } from "../../catapult/wire/network-clock.js";
import { PacketType } from "../../catapult/wire/packet-type.js";

const type = PacketType.timeSyncNetworkTime;
const fails = (error: Error) => ({ time: () => Promise.reject(error) });

test("the time is that of the end of the question, however long the node takes for its answer", async () => {
  let own = 0;
  const node = {
    time: async () => {
      await Promise.resolve();
      own += 1_000;
      return { sendTimestamp: 5_500, receiveTimestamp: 5_500 };
    },
  };
  const clock = new NetworkClock(
    node,
    () => undefined,
    () => own,
  );
  expect([await clock.now(), own]).toEqual([6_000, 1_000]);
  own += 50;
  expect(await clock.now()).toBe(6_050);
});

test("the time of a node without the timesync extension is that of this machine", async () => {
  for (const error of [
    new ConnectionClosedError("node", "by the node", { request: type }),
    new RequestPausedError("node", type),
  ]) {
    expect(
      await new NetworkClock(
        fails(error),
        () => 5_000,
        () => 7,
      ).now(),
    ).toBe(5_000);
    await expect(new NetworkClock(fails(error), () => undefined).now()).rejects.toBe(error);
  }
  const other = new ConnectionClosedError("node", "by the node", { request: PacketType.chainStatistics });
  await expect(new NetworkClock(fails(other), () => 5_000).now()).rejects.toBe(other);
});
