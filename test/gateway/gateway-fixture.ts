import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { type Logger, pino } from "pino";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { statePathPacket } from "../../catapult/state/key.js";
import { STATE_KINDS } from "../../catapult/state/kind.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import { programVersion } from "../../cli/process/version.js";
import { writeResources } from "../../devnet/network/resources.js";
import type { PacketHandler, PacketServer } from "../../devnet/protocol/packet-server.js";
import { type Gateway, type GatewayOptions, startGateway } from "../../gateway/server.js";
import { clientCredentials, listen } from "../support/connection-fixtures.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { CHAIN_NETWORK, chainOf, createChainDatabase, readBlocks, type ServedChain } from "../support/served-chain.js";

/** An answer of a gateway. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every form.
  readonly body: any;
}

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
}

/** A real gateway over a real database with an executed chain, and a node that answers the gateway's requests. */
export class GatewayFixture {
  readonly database: TestDatabase;
  readonly blocks: readonly VerifiedBlock[];
  readonly node: PacketServer;
  readonly log: TestLog;
  readonly #gateway: Gateway;
  readonly #resourcesDirectory: string;

  private constructor(
    database: TestDatabase,
    blocks: readonly VerifiedBlock[],
    node: PacketServer,
    log: TestLog,
    gateway: Gateway,
    resourcesDirectory: string,
  ) {
    this.database = database;
    this.blocks = blocks;
    this.node = node;
    this.log = log;
    this.#gateway = gateway;
    this.#resourcesDirectory = resourcesDirectory;
  }

  /**
   * @param chain or the number of blocks of {@link chainOf}; undefined for an empty database
   * @param settings that override those of the fixture
   */
  static async start(
    chain: ServedChain | number | undefined,
    settings:
      | Partial<GatewayOptions>
      | ((database: TestDatabase) => Partial<GatewayOptions> | Promise<Partial<GatewayOptions>>) = {},
  ): Promise<GatewayFixture> {
    const served = typeof chain === "number" ? chainOf(chain) : chain;
    const { network } = served ?? { network: CHAIN_NETWORK };
    const database = await (served ? createChainDatabase(served) : createMigratedDatabase());
    const blocks = served ? await readBlocks(database.url, network.identity) : [];
    const node = await listen(nodeHandlers(blocks));
    const log = new TestLog();
    const resourcesDirectory = await mkdtemp(join(tmpdir(), "symbol-gateway-resources-"));
    await writeResources(resourcesDirectory, network, { host: "node.example", port: 7900, friendlyName: "" });
    const gateway = await startGateway({
      version: programVersion(),
      databaseUrl: database.url,
      databasePoolSize: 4,
      nodes: [node.address()],
      credentials: clientCredentials,
      host: "127.0.0.1",
      port: 0,
      log: log.logger,
      resourcesDirectory,
      answersLocalCallers: true,
      extensions: makeExtensions({}),
      ...(typeof settings === "function" ? await settings(database) : settings),
    });
    return new GatewayFixture(database, blocks, node, log, gateway, resourcesDirectory);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#gateway.port}`;
  }

  /** URL of the paths for operators, if they have a port of their own. */
  get internalUrl(): string {
    return `http://127.0.0.1:${this.#gateway.internalPort}`;
  }

  async get(path: string, init: RequestInit = {}): Promise<TestAnswer> {
    const response = await fetch(`${this.url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<TestAnswer> {
    return this.get(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  stopGateway(): Promise<void> {
    return this.#gateway.stop();
  }

  async close(): Promise<void> {
    await this.#gateway.stop();
    await this.node.close();
    await this.database.drop();
    await rm(this.#resourcesDirectory, { recursive: true });
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
