import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { sql } from "kysely";
import { type Logger, pino } from "pino";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { statePathPacket } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { programVersion } from "../../cli/process/version.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { writeResources } from "../../devnet/network/resources.js";
import type { PacketHandler, PacketServer } from "../../devnet/protocol/packet-server.js";
import type { GatewayOptions } from "../../gateway/server.js";
import { listen } from "../support/connection-fixtures.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import { CHAIN_NETWORK, chainOf, createChainDatabase, readBlocks, type ServedChain } from "../support/served-chain.js";
import { ServedGateway } from "../support/served-gateway.js";
import { startTestGateway } from "../support/test-gateway.js";
import { until } from "../support/until.js";

const WARN = 40;

/** Lines of a log as objects. */
export class TestLog {
  readonly lines: Record<string, unknown>[] = [];
  readonly logger: Logger = pino(
    { level: "debug" },
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.lines.push(JSON.parse(chunk.toString("utf8")) as Record<string, unknown>);
        done();
      },
    }),
  );

  /** Warnings and errors, but for those about the node: on a busy machine it may answer too late. */
  loud(): Record<string, unknown>[] {
    return this.lines.filter(({ level, msg }) => Number(level) >= WARN && !/\bnode\b/.test(String(msg)));
  }

  /** Waits for a line with this message. */
  async has(message: string): Promise<void> {
    await until(() => this.lines.some(({ msg }) => msg === message), `the line "${message}"`);
  }
}

type Settings = Partial<GatewayOptions>;
type StartArguments = [
  /** Or the number of blocks of {@link chainOf}; undefined for an empty database. */
  chain: ServedChain | number | undefined,
  /** Override those of the fixture. */
  settings?: Settings | ((database: TestDatabase) => Settings | Promise<Settings>),
];

/** A real gateway over a real database with an executed chain, and a node that answers the gateway's requests. */
export class GatewayFixture extends ServedGateway {
  readonly log = new TestLog();
  database!: TestDatabase;
  blocks!: readonly VerifiedBlock[];
  node!: PacketServer;
  #db: Db | undefined;
  #events: EventWriter | undefined;

  /** To be called by a test file or a `describe`: it is started before the tests, and closed after them. */
  static use(...args: StartArguments): GatewayFixture {
    const fixture = new GatewayFixture();
    return fixture.usedBy(() => fixture.#start(...args));
  }

  static async start(...args: StartArguments): Promise<GatewayFixture> {
    const fixture = new GatewayFixture();
    await fixture.#start(...args);
    return fixture;
  }

  async #start(...[chain, settings = {}]: StartArguments): Promise<void> {
    const served = typeof chain === "number" ? chainOf(chain) : chain;
    const { network } = served ?? { network: CHAIN_NETWORK };
    this.database = await (served ? createChainDatabase(served) : createMigratedDatabase());
    this.closers.push(() => this.database.drop());
    this.blocks = served ? await readBlocks(this.database.url, network.identity) : [];
    this.node = await listen(nodeHandlers(this.blocks));
    this.closers.push(() => this.node.close());
    const resourcesDirectory = await mkdtemp(join(tmpdir(), "symbol-gateway-resources-"));
    this.closers.push(() => rm(resourcesDirectory, { recursive: true }));
    await writeResources(resourcesDirectory, network, { host: "node.example", port: 7900, friendlyName: "" });
    const own = typeof settings === "function" ? await settings(this.database) : settings;
    this.gateway = await startTestGateway({
      version: programVersion(),
      databaseUrl: this.database.url,
      databasePoolSize: 4,
      nodes: [this.node.address()],
      log: this.log.logger,
      resourcesDirectory,
      ...own,
    });
    this.closers.push(() => this.gateway.stop());
    // On a busy machine a gateway starts before it follows events, and keeps no answers until then.
    if (own.databaseUrl === undefined) await this.log.has("Following events");
  }

  /** Connections to its database, closed with it. */
  get db(): Db {
    this.#db ??= openDatabase({ url: this.database.url, poolSize: 2 });
    return this.#db;
  }

  /** Writes events into its database. */
  get events(): EventWriter {
    this.#events ??= new EventWriter(this.database.url);
    return this.#events;
  }

  /** Runs a statement in its database. */
  async query(text: string): Promise<void> {
    await sql.raw(text).execute(this.db);
  }

  /** URL of the paths for operators, if they have a port of their own. */
  get internalUrl(): string {
    return `http://127.0.0.1:${this.gateway.internalPort}`;
  }

  stopGateway(): Promise<void> {
    return this.gateway.stop();
  }

  override async close(): Promise<void> {
    await this.#events?.close();
    await this.#db?.destroy();
    await super.close();
  }
}

/** The fixture's node is this number of blocks ahead of the index. */
export const NODE_AHEAD = 3;
/** It has finalization proofs of this epoch, which ends at this height. */
export const PROOF = { epoch: 2, point: 7, height: 100, hash: Buffer.alloc(32, 0xab) };
export const NODE_INFO = { friendlyName: "made-up node", host: "node.example", port: 7900 };
export const NODE_TIME = { sendTimestamp: 90_000_004, receiveTimestamp: 90_000_003 };

function nodeHandlers(blocks: readonly VerifiedBlock[]): [number, PacketHandler][] {
  const height = blocks.length + NODE_AHEAD;
  const nothing = { type: PacketType.pullFinalizationProof, payload: Buffer.alloc(0) };
  const proof = { type: PacketType.pullFinalizationProof, payload: encodeProof() };
  // A tree with one leaf, which differs from every other key in its first nibble.
  const leaf = Buffer.concat([numbers([0xff, 1], [64, 1]), Buffer.alloc(64, 0x33)]);
  return [
    ...STATE_KINDS.map((kind): [number, PacketHandler] => [statePathPacket(kind), () => leaf]),
    [PacketType.chainStatistics, () => numbers([height, 8], [PROOF.height, 8], [0, 8], [1, 8])],
    [
      PacketType.blockHashes,
      (request) => blocks[Number(request.readBigUInt64LE()) - 1]?.hash ?? Buffer.alloc(32, 0x44),
    ],
    [PacketType.nodeDiscoveryPullPing, () => encodeNodeInfo()],
    [PacketType.nodeDiscoveryPullPeers, () => Buffer.concat([encodeNodeInfo(), encodeNodeInfo()])],
    [PacketType.unlockedAccounts, () => Buffer.alloc(32, 0x33)],
    [PacketType.timeSyncNetworkTime, () => numbers([NODE_TIME.sendTimestamp, 8], [NODE_TIME.receiveTimestamp, 8])],
    [PacketType.finalizationProofAtEpoch, (request) => (request.readUInt32LE() === PROOF.epoch ? proof : nothing)],
    [
      PacketType.finalizationProofAtHeight,
      (request) => (request.readBigUInt64LE() === BigInt(PROOF.height) ? proof : nothing),
    ],
  ];
}

/** The node's description of itself; by default a node of the network of {@link chainOf}. */
export function encodeNodeInfo(generationHashSeed = CHAIN_NETWORK.identity.generationHashSeed): Buffer {
  const name = Buffer.from(NODE_INFO.friendlyName);
  const host = Buffer.from(NODE_INFO.host);
  const content = Buffer.concat([
    numbers([0x01000308, 4]),
    Buffer.alloc(32, 0x11),
    generationHashSeed,
    numbers([7, 4], [NODE_INFO.port, 2], [152, 1], [host.length, 1], [name.length, 1]),
    host,
    name,
  ]);
  return Buffer.concat([numbers([content.length + 4, 4]), content]);
}

function encodeProof(): Buffer {
  const group = Buffer.concat([
    numbers([24 + 32 + 192, 4], [1, 4], [1, 4], [1, 4], [PROOF.height, 8]),
    PROOF.hash,
    Buffer.alloc(192, 0x22),
  ]);
  const header = Buffer.concat([numbers([1, 4], [PROOF.epoch, 4], [PROOF.point, 4], [PROOF.height, 8]), PROOF.hash]);
  return Buffer.concat([numbers([4 + header.length + group.length, 4]), header, group]);
}

/** Numbers, each with its number of bytes, little-endian. */
function numbers(...fields: readonly (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt(value));
      return field.subarray(0, bytes);
    }),
  );
}
