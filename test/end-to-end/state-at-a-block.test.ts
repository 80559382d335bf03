import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { encodeAddress } from "../../catapult/entity/address.js";
import type { IndexerOptions } from "../../indexer/indexer.js";
import { checkIndex } from "../support/checked-index.js";
import { signedPayload } from "../support/devnet.js";
import { devnetExecution } from "../support/devnet-execution.js";
import { RestStack } from "../support/rest-stack.js";
import { type StateScenario, writeStateScenario } from "../support/state-scenario.js";
import { until } from "../support/until.js";

/** Lists of state, and where an entry has the key of its own route. */
const LISTS: readonly (readonly [list: string, key: readonly [string, string]])[] = [
  ["/accounts", ["account", "address"]],
  ["/mosaics", ["mosaic", "id"]],
  ["/namespaces", ["namespace", "level0"]],
  ["/metadata", ["metadataEntry", "compositeHash"]],
  ["/restrictions/account", ["accountRestrictions", "address"]],
  ["/restrictions/mosaic", ["mosaicRestrictionEntry", "compositeHash"]],
  ["/lock/hash", ["lock", "hash"]],
  ["/lock/secret", ["lock", "compositeHash"]],
];

let stack: RestStack;
let scenario: StateScenario;

beforeAll(async () => {
  let settings: Partial<IndexerOptions> = {};
  stack = await RestStack.start({
    populate: async (node) => {
      const { devnet } = node;
      scenario = await writeStateScenario(devnet);
      settings = { execution: await devnetExecution(devnet) };
    },
    indexer: () => settings,
  });
});

afterAll(() => stack?.stop());

async function get<T>(path: string): Promise<{ readonly status: number; readonly body: T }> {
  const response = await fetch(stack.url + path);
  return { status: response.status, body: (await response.json()) as T };
}

type Entry = Readonly<Record<string, Readonly<Record<string, string>>>>;

test("all state routes answer", async () => {
  for (const [list, [part, field]] of LISTS) {
    const { status, body } = await get<{ data: Entry[] }>(list);
    expect({ list, status, hasEntries: body.data.length > 0 }).toEqual({ list, status: 200, hasEntries: true });
    const key = body.data[0]![part]![field]!;
    const path = encoded(key);
    expect({ list, status: (await get(`${list}/${path}`)).status }).toEqual({ list, status: 200 });
    expect({ list, status: (await get(`${list}/${path}/merkle`)).status }).toEqual({ list, status: 200 });
  }
  const top = encodeAddress(scenario.multisig.top.address);
  expect((await get(`/account/${top}/multisig/graph`)).status).toBe(200);
  expect((await get("/ready")).body).toMatchObject({ blocksBehind: 0 });
});

/** An address of a body, which is hex there, in the form of a path. */
function encoded(key: string): string {
  return key.length === 48 ? encodeAddress(Buffer.from(key, "hex")) : key;
}

test("check reports no differences, and leaves nothing out", async () => {
  const { devnet } = stack.node;
  const { found, left, checked } = await checkIndex({ databaseUrl: stack.index.url, nodes: [devnet] });
  expect(found).toEqual([]);
  expect(left).toEqual([]);
  expect(checked.get("state trees")).toBe(9);
  expect(checked.get("blocks")).toBe(devnet.height);
});

test("when block arrives on /ws, state routes answer for that block", async () => {
  const { devnet } = stack.node;
  const [alice, bob] = [stack.node.account("alice"), stack.node.account("bob")];
  const readState = () =>
    Promise.all([
      get<{ account: { mosaics: { id: string; amount: string }[] } }>(`/accounts/${encodeAddress(bob.address)}`),
      get<{ height: string }>("/ready"),
    ]);
  const socket = new WebSocket(`${stack.url.replace("http", "ws")}/ws`);
  const blocks: { readonly height: number; readonly answers: ReturnType<typeof readState> }[] = [];
  const ready = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.uid) {
        socket.send(JSON.stringify({ uid: message.uid, subscribe: "block" }));
        resolve();
      }
      if (message.topic !== "block") return;
      const height = Number(message.data.block.height);
      // Requested at this very moment.
      blocks.push({ height, answers: readState() });
    });
  });
  await ready;
  for (let i = 1; i <= 6; i++) {
    devnet.announce(signedPayload(devnet, alice, { recipientAddress: bob.address, amount: BigInt(1_000 * i) }));
    await devnet.harvest(1);
    await until(() => blocks.length === i, "the block is announced");
    const { height, answers } = blocks[i - 1]!;
    const [account, readiness] = await answers;
    const currency = devnet.currencyMosaicId.toString(16).padStart(16, "0").toUpperCase();
    const amount = account.body.account.mosaics.find(({ id }) => id === currency)?.amount;
    expect({ height, amount, state: readiness.body.height }).toEqual({
      height: devnet.height,
      amount: String(devnet.balanceOf(bob.address)),
      state: String(devnet.height),
    });
  }
  socket.terminate();
});
