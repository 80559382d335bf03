import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { encodeAddress } from "../../catapult/entity/address.js";
import { idText } from "../../catapult/json/format.js";
import { signedPayload } from "../support/devnet.js";
import { RestStack } from "../support/rest-stack.js";
import { until } from "../support/until.js";

let stack: RestStack;

beforeAll(async () => {
  stack = await RestStack.start({ executes: true });
});

afterAll(() => stack?.stop());

async function get<T>(path: string): Promise<T> {
  return (await fetch(stack.url + path)).json() as Promise<T>;
}

test("when block arrives on /ws, state routes answer for that block", async () => {
  const { devnet } = stack.node;
  const [alice, bob] = [stack.node.account("alice"), stack.node.account("bob")];
  const readState = () =>
    Promise.all([
      get<{ account: { mosaics: { id: string; amount: string }[] } }>(`/accounts/${encodeAddress(bob.address)}`),
      get<{ height: string }>("/ready"),
    ]);
  const socket = new WebSocket(`${stack.url.replace("http", "ws")}/ws`);
  const answersAt = new Map<number, ReturnType<typeof readState>>();
  const ready = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.uid) {
        socket.send(JSON.stringify({ uid: message.uid, subscribe: "block" }));
        resolve();
      }
      if (message.topic !== "block") return;
      // Requested at this very moment.
      answersAt.set(Number(message.data.block.height), readState());
    });
  });
  await ready;
  for (let i = 1; i <= 6; i++) {
    devnet.announce(signedPayload(devnet, alice, { recipientAddress: bob.address, amount: BigInt(1_000 * i) }));
    await devnet.harvest(1);
    // A busy gateway may announce the block before the first one of these, too.
    await until(() => answersAt.has(devnet.height), "the block is announced");
    const [account, readiness] = await answersAt.get(devnet.height)!;
    const currency = idText(devnet.currencyMosaicId);
    const amount = account.account.mosaics.find(({ id }) => id === currency)?.amount;
    expect({ amount, state: readiness.height }).toEqual({
      amount: String(devnet.balanceOf(bob.address)),
      state: String(devnet.height),
    });
  }
  socket.terminate();
});
