import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { channels } from "../../catapult/structs/message.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { Gateway } from "../../gateway/server.js";
import { TestClient } from "../gateway/websocket-fixture.js";
import { EventStreamClient } from "../support/event-stream-client.js";
import { LifeScene, type Source } from "../support/lifecycle-scene.js";
import { MessageOrder, type OrderedMessage } from "../support/message-order.js";
import { SeededRandom } from "../support/seeded-random.js";
import { startTestGateway } from "../support/test-gateway.js";
import { anyMoment, until } from "../support/until.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";

const STEPS = 25;
const CHANNELS = Object.keys(channels);
const sources: readonly Source[] = ["broker", "pool"];

/** Drawn chains, received by one client of each interface that subscribes to every channel. */
describe.each(sources)(
  "messages arrive in the order of their step, with pending transactions from the %s",
  (source) => {
    const random = new SeededRandom();
    const receiver = new WebhookReceiver();
    let scene: LifeScene;
    let gateway: Gateway;
    let alice: DevnetAccount;
    let bob: DevnetAccount;
    let socket: TestClient;
    let stream: EventStreamClient;
    let client: Client;
    /** The first sequence of the clients. */
    let from: number;
    /** Pushed transactions. */
    let made = 0;
    const overGraphql: OrderedMessage[] = [];

    beforeAll(async () => {
      await receiver.listen();
      scene = await LifeScene.start(source);
      [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
      const { devnet } = scene.fixture;
      gateway = await startTestGateway({
        databaseUrl: scene.index.url,
        nodes: [devnet],
        resourcesDirectory: devnet.resourcesDirectory,
        deliversWebhooks: true,
        webhookPrivateNetworks: ["127.0.0.1"],
      });
      await listen();
    });

    afterAll(async () => {
      stream?.close();
      await client?.dispose();
      await socket?.close();
      await gateway?.stop();
      await scene?.stop();
      await receiver.close();
    });

    async function listen(): Promise<void> {
      const origin = `127.0.0.1:${gateway.port}`;
      await receiver.subscribe(`http://${origin}`, CHANNELS);
      const { eventSequence } = await scene.index.waitFor(() => true);
      from = eventSequence + 1;
      socket = await TestClient.connect(`ws://${origin}/ws`);
      socket.resume(from, ...CHANNELS);
      const query = new URLSearchParams([...CHANNELS.map((topic) => ["topic", topic]), ["from", String(from)]]);
      stream = EventStreamClient.open(`http://${origin}/events?${query}`);
      await stream.opened();
      client = createClient({ url: `ws://${origin}/graphql`, webSocketImpl: WebSocket, retryAttempts: 0 });
      for (const channel of CHANNELS) {
        client.subscribe<Record<string, { sequence: number; body: object }>>(
          { query: `subscription { ${channel}(from: ${from}) { sequence body } }` },
          {
            next: ({ data: event }) => {
              const { sequence, body } = event?.[channel] ?? { sequence: 0, body: {} };
              overGraphql.push({ channel, sequence, data: body });
            },
            error: (error) => expect(error).toBeUndefined(),
            complete: () => undefined,
          },
        );
      }
    }

    /** Transfers, and a bonded aggregate with its lock. */
    async function announce(): Promise<void> {
      const { client: node } = scene.fixture;
      for (let count = random.below(4); count > 0; --count) {
        const payload = scene.make.transaction(alice, scene.transfer(bob.address, BigInt(random.below(1_000))));
        await node.pushTransactions([payload]);
        made += 1;
      }
      if (random.below(4) > 0) return;
      const embedded = [alice, bob].map((signer) => scene.make.embedded(signer, scene.transfer(bob.address, 1n)));
      const payload = scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 1 });
      const hash = await scene.bond(alice, payload);
      if (random.below(3) > 0) await node.pushCosignatures([scene.make.cosignature(bob, hash)]);
      made += 1;
    }

    async function step(): Promise<void> {
      const { devnet } = scene.fixture;
      await announce();
      // What happens between two polls is one step of the index.
      if (random.below(2) === 0) await anyMoment(random, 60);
      const blocks = 1 + random.below(3);
      if (random.below(4) === 0 && devnet.height > devnet.finalized.height + 3) {
        const dropped = 1 + random.below(2);
        const from = devnet.height - dropped;
        devnet.fork({ from, blocks: dropped + blocks, keepTransactions: random.below(2) === 0 });
      } else {
        await devnet.harvest(blocks);
      }
      if (random.below(3) > 0) await scene.index.waitForHash(devnet.block(devnet.height).hash);
    }

    const problemsOf = (messages: readonly OrderedMessage[]) => {
      const order = new MessageOrder();
      for (const message of messages) order.take(message);
      return order.problems;
    };

    test("on /ws, on /events, over GraphQL and at webhooks: removals, block, confirmedAdded; drops first", async () => {
      for (let count = 0; count < STEPS; ++count) await step();
      const { devnet } = scene.fixture;
      await devnet.harvest(1);
      await scene.index.waitForHash(devnet.block(devnet.height).hash);
      // What is written later may have arrived at some of them only.
      const { eventSequence } = await scene.index.waitFor(() => true);
      const wanted = <M extends { readonly sequence: number }>(messages: readonly M[]) =>
        messages.filter(({ sequence }) => sequence >= from && sequence <= eventSequence);
      const onSocket = () =>
        wanted(socket.messages.map(({ topic, sequence, data }) => ({ channel: topic, sequence, data })));
      const onStream = () =>
        wanted(
          stream.events.map(({ data }): OrderedMessage => {
            const { topic, ...message } = JSON.parse(data);
            return { channel: topic, ...message };
          }),
        );
      const atWebhook = () =>
        wanted(
          receiver.received.flatMap(({ type, sequence, data }) =>
            sequence === undefined ? [] : [{ channel: type, sequence, data }],
          ),
        );
      const received = { socket: onSocket, stream: onStream, graphql: () => wanted(overGraphql) };
      const count = wanted(await scene.index.db.selectFrom("events").select("sequence").execute()).length;
      for (const [name, messages] of Object.entries(received)) {
        await until(() => messages().length >= count, `all ${count} messages on ${name}`);
      }
      // One after the other; what a fork drops is a message of another form there.
      await until(() => atWebhook().at(-1)?.sequence === eventSequence, "the last message at the webhook");
      const order = new MessageOrder();
      for (const message of onSocket()) order.take(message);
      expect(order.problems).toEqual([]);
      expect(onStream()).toEqual(onSocket());
      const inOrder = wanted(overGraphql).toSorted((one, other) => one.sequence - other.sequence);
      expect(inOrder).toEqual(onSocket());
      expect(problemsOf(atWebhook())).toEqual([]);
      expect(receiver.problems).toEqual([]);
      expect(Object.keys(order.counts).length).toBeGreaterThan(5);
      process.stderr.write(`${made} transactions, ${JSON.stringify(order.counts)}\n`);
    });
  },
);
