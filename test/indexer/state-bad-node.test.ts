import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type StateKey, statePackets } from "../../catapult/state/key.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler, PacketPeer, PacketReply } from "../../devnet/protocol/packet-server.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { describeRecorded } from "../support/recorded-chain.js";
import { recordedNode } from "../support/recorded-node.js";
import { storedValues } from "../support/state-database.js";
import { recordedConfig, recordedStateOptions, StateNode } from "../support/state-node.js";
import { readStateStatus } from "../support/state-status.js";

const HEIGHT = 120;
const INFO_HEADER_SIZE = 8;
const ADDRESS_SIZE = 24;
const REJECTED = /Rejected a state value/;

describeRecorded("the state of a node that cannot be trusted", (chain) => {
  const { blocks } = recordedNode(chain);
  const state = recordedStateOptions(recordedConfig(chain));
  let node: StateNode;
  let index: IndexedDatabase;
  let log: LogLines;
  let good: Map<number, PacketHandler>;

  beforeEach(async () => {
    node = await StateNode.start(chain, blocks.slice(0, HEIGHT));
    good = new Map(node.node.handlers);
    index = await IndexedDatabase.create();
    log = new LogLines();
  });

  afterEach(async () => {
    await index.drop();
    await node.close();
  });

  const tip = () => node.node.hashAt(node.node.height);
  const follow = () => index.follow(node.address, { state, log: log.logger });
  const switchTo = (height: number) => node.switchTo(blocks.slice(0, height));

  /** Applies a change to each of a node's answers of a type. */
  function change(type: number, how: (answer: Buffer, request: Buffer) => Buffer | Promise<Buffer>): void {
    node.node.handlers.set(type, async (request: Buffer, peer: PacketPeer): Promise<PacketReply> => {
      return how((await good.get(type)?.(request, peer)) as Buffer, request);
    });
  }

  function heal(): void {
    for (const [type, handler] of good) node.node.handlers.set(type, handler);
  }

  /** An account that the block after `HEIGHT` changes, and its row in the database. */
  async function changingAccount(): Promise<StateKey & { name: string; before: string | undefined }> {
    const before = node.values();
    switchTo(HEIGHT + 1);
    const after = node.values();
    switchTo(HEIGHT);
    const name = [...after.keys()].find((one) => one.startsWith("account") && after.get(one) !== before.get(one));
    if (!name) throw new Error(`Block ${HEIGHT + 1} changes no account`);
    return { kind: "account", key: Buffer.from(name.slice(-2 * ADDRESS_SIZE), "hex"), name, before: before.get(name) };
  }

  test("values read while the head moves are not written, and read again", async () => {
    const MOVES = 12;
    let moves = 0;
    change(PacketType.accountInfos, (answer) => {
      if (moves < MOVES) switchTo(HEIGHT + ++moves);
      return answer;
    });
    await follow();
    await log.waitFor(/head moved while state was read/);
    await index.waitFor((head) => head.height === HEIGHT + MOVES);
    await index.waitForState(tip());
    expect(moves).toBe(MOVES);
    expect(log.matching(/head moved while state was read/).length).toBeGreaterThanOrEqual(moves);
    expect(await storedValues(index.db)).toEqual(node.values());
    // Answers of a node from two moments are no lie, and not reported as one.
    expect(log.matching(REJECTED)).toEqual([]);
  });

  test("values read while the node switches to another branch and back are verified by the branch of the head", async () => {
    let switches = 0;
    change(PacketType.accountInfos, async (_answer, request) => {
      if (switches++ > 0) return (await good.get(PacketType.accountInfos)?.(request, {} as PacketPeer)) as Buffer;
      switchTo(HEIGHT - 30);
      const old = (await good.get(PacketType.accountInfos)?.(request, {} as PacketPeer)) as Buffer;
      switchTo(HEIGHT);
      return old;
    });
    await follow();
    await log.waitFor(REJECTED);
    switchTo(HEIGHT + 1);
    await index.waitForState(tip());
    expect(await storedValues(index.db)).toEqual(node.values());
  });

  const lies: readonly [string, (lie: LieAbout) => void][] = [
    ["a value", ({ type, isOne }) => change(type, (answer, request) => (isOne(request) ? tampered(answer) : answer))],
    ["that there is none", ({ type, isOne, key }) => change(type, (answer) => withheld(answer, key, isOne))],
    ["a path", ({ pathType, isOne }) => change(pathType, (path, key) => (isOne(key) ? tampered(path) : path))],
    [
      "a path of another key",
      ({ pathType, isOne }) =>
        change(pathType, async (path, key) =>
          isOne(key) ? ((await good.get(pathType)?.(Buffer.alloc(ADDRESS_SIZE, 1), {} as PacketPeer)) as Buffer) : path,
        ),
    ],
  ];

  test.each(lies)(
    "a lie about %s is rejected with the key in the log, and nothing of it is written",
    async (_what, lie) => {
      await follow();
      await index.waitForState(tip());
      const account = await changingAccount();
      expect((await storedValues(index.db)).get(account.name)).toBe(account.before);
      const { values: type, path: pathType } = statePackets("account");
      lie({ ...account, type, pathType, isOne: (request) => request.includes(account.key) });
      switchTo(HEIGHT + 1);
      await index.waitForHash(tip());
      await log.waitFor(REJECTED);

      const [line] = log.matching(REJECTED);
      expect(line).toContain(account.key.toString("hex").toUpperCase());
      expect(JSON.parse(line ?? "")).toMatchObject({ kind: "account", height: HEIGHT + 1, level: 50 });
      const stored = await storedValues(index.db);
      expect(stored.get(account.name)).toBe(account.before);
      const others = [...node.values()].filter(([name]) => name !== account.name);
      expect(others.filter(([name, value]) => stored.get(name) !== value)).toEqual([]);
      expect(await readStateStatus(index.db)).toEqual({ height: HEIGHT + 1, stateHeight: HEIGHT, pending: 1 });
      expect(log.matching(REJECTED)).toHaveLength(1);

      heal();
      switchTo(HEIGHT + 2);
      await index.waitForState(tip());
      expect(await storedValues(index.db)).toEqual(node.values());
    },
  );

  test("roots that do not match the state hash: no state is written, and the chain is followed", async () => {
    change(PacketType.subCacheMerkleRoots, () => Buffer.alloc(0));
    await follow();
    await index.waitForHash(tip());
    await log.waitFor(/sends no roots for the state hash of block 120/);
    expect(await storedValues(index.db)).toEqual(new Map());
    heal();
    switchTo(HEIGHT + 1);
    await index.waitForState(tip());
    expect(await storedValues(index.db)).toEqual(node.values());
  });

  test("a node that returns no state values: the chain is followed without, and state is read as soon as one returns it", async () => {
    for (const kind of ["account", "mosaic", "namespace"] as const) {
      node.node.handlers.delete(statePackets(kind).values);
    }
    await follow();
    await log.waitFor(/The node serves no state values: it needs the diagnostics extension/);
    switchTo(HEIGHT + 30);
    const head = await index.waitForHash(tip());
    const status = await readStateStatus(index.db);
    expect(status).toEqual({ height: head.height, stateHeight: undefined, pending: expect.any(Number) });
    expect(status?.pending).toBeGreaterThan(20);
    expect(await storedValues(index.db)).toEqual(new Map());

    heal();
    await index.waitForState(tip());
    expect(await storedValues(index.db)).toEqual(node.values());
    expect(log.matching(/serves state values again/)).toHaveLength(1);
  });
});

interface LieAbout extends StateKey {
  /** Packet types of values and paths. */
  readonly type: number;
  readonly pathType: number;
  /** Whether bytes name the account. */
  readonly isOne: (bytes: Buffer) => boolean;
}

function tampered(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const last = changed.length - 1;
  changed.writeUInt8(changed.readUInt8(last) ^ 1, last);
  return changed;
}

/** The same answer without the value of one key. */
function withheld(answer: Buffer, key: Buffer, isOne: (bytes: Buffer) => boolean): Buffer {
  const infos: Buffer[] = [];
  for (let offset = 0; offset < answer.length; ) {
    const info = answer.subarray(offset, offset + answer.readUInt32LE(offset));
    offset += info.length;
    infos.push(isOne(info.subarray(INFO_HEADER_SIZE, INFO_HEADER_SIZE + key.length)) ? emptyInfo(key) : info);
  }
  return Buffer.concat(infos);
}

function emptyInfo(key: Buffer): Buffer {
  const header = Buffer.alloc(INFO_HEADER_SIZE);
  header.writeUInt32LE(INFO_HEADER_SIZE + key.length, 0);
  return Buffer.concat([header, key]);
}
