import { expect, test } from "@jest/globals";
import { ConnectionClosedError, RequestPausedError } from "../../catapult/wire/errors.js";
import { NetworkClock } from "../../catapult/wire/network-clock.js";
import { PacketType } from "../../catapult/wire/packet-type.js";

const type = PacketType.timeSyncNetworkTime;
const fails = (error: Error) => ({ time: () => Promise.reject(error) });

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
