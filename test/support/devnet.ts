import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCredentials } from "../../catapult/certificate/certificate.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { NodeConnection } from "../../catapult/wire/connection.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { type Devnet, type DevnetAccount, type DevnetOptions, startDevnet } from "../../devnet/devnet.js";
import { BROKER_KINDS } from "../../indexer/mempool/broker-feed.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import { hashLock } from "../devnet/state-descriptors.js";
import { clientCredentials, silentLog } from "./connection-fixtures.js";
import { devnetBlocks, devnetConfig } from "./devnet-execution.js";
import { knowDevnet } from "./known-networks.js";
import { type Descriptor, type MakeOptions, type Party, TransactionMaker } from "./transaction-maker.js";
import { transferOf } from "./transfers.js";
import { until } from "./until.js";

/** A devnet in a folder of its own that creates blocks and finalizes only on request, with a client. */
export class DevnetFixture {
  readonly directory: string;
  readonly #options: Partial<DevnetOptions>;
  #devnet: Devnet | undefined;
  #client: NodeClient | undefined;

  private constructor(directory: string, options: Partial<DevnetOptions>) {
    this.directory = directory;
    this.#options = options;
  }

  static async start(options: Partial<DevnetOptions> = {}): Promise<DevnetFixture> {
    const directory = await mkdtemp(join(tmpdir(), "symbol-gateway-devnet-"));
    const fixture = new DevnetFixture(directory, options);
    try {
      await fixture.open();
    } catch (error) {
      await rm(directory, { recursive: true });
      throw error;
    }
    return fixture;
  }

  get devnet(): Devnet {
    if (!this.#devnet) throw new Error("the devnet is closed");
    return this.#devnet;
  }

  get client(): NodeClient {
    if (!this.#client) throw new Error("the devnet is closed");
    return this.#client;
  }

  /** The file of the chain. */
  get chainFile(): string {
    return join(this.directory, "chain.dat");
  }

  /** Starts the node on its folder. */
  async open(options: Partial<DevnetOptions> = {}): Promise<void> {
    const devnet = await startDevnet({
      dataDirectory: this.directory,
      port: 0,
      log: silentLog,
      autoHarvest: false,
      finalization: { auto: false },
      gatherMs: 0,
      ...this.#options,
      ...options,
    });
    this.#devnet = devnet;
    await knowDevnet(devnet);
    this.#client = new NodeClient({ nodes: [devnet], credentials: clientCredentials, log: silentLog });
  }

  /** Stops the node and leaves its folder. */
  async close(): Promise<void> {
    await this.#client?.close();
    await this.#devnet?.stop();
    this.#client = undefined;
    this.#devnet = undefined;
  }

  /** A plain connection, for packets that the client would not send. */
  connect(requestTimeoutMs = 120_000): Promise<NodeConnection> {
    const { host, port } = this.devnet;
    return NodeConnection.connect({ host, port, credentials: clientCredentials, requestTimeoutMs });
  }

  /** A connection of a peer with its own keys. */
  connectAs(commonName: string): Promise<NodeConnection> {
    const { host, port } = this.devnet;
    return NodeConnection.connect({ host, port, credentials: createCredentials({ commonName }) });
  }

  /** Waits until an indexer receives all messages of the broker: earlier ones are lost for it. */
  async hasSubscriber(): Promise<void> {
    await until(() => this.devnet.zmqSubscriptions >= BROKER_KINDS.length, "the indexer subscribes to the broker");
  }

  /** What executing each block gave, from the first one on, and the state after the last one. */
  async executed(): Promise<{ readonly blocks: readonly ExecutedBlock[]; readonly state: ChainState }> {
    const { devnet } = this;
    const state = new ChainState(await devnetConfig(devnet));
    const served = await devnetBlocks(this);
    return { blocks: served.map(({ block }) => state.execute(decodeBlock(block, devnet.network))), state };
  }

  /** All blocks as the node serves them, verified with what executing them gives. */
  async verified(): Promise<VerifiedBlock[]> {
    const { network } = this.devnet;
    const executed = (await this.executed()).blocks;
    const blocks: VerifiedBlock[] = [];
    for (const [index, { block: bytes }] of (await devnetBlocks(this)).entries()) {
      const { statement: statementBytes, subCacheMerkleRoots } = executed[index]!;
      const previous = blocks.at(-1);
      blocks.push(verifyBlock({ bytes, statementBytes, subCacheMerkleRoots, network, ...(previous && { previous }) }));
    }
    return blocks;
  }

  /** A funded account by name. */
  account(name: string): DevnetAccount {
    const account = this.devnet.accounts.find((one) => one.name === name);
    if (!account) throw new Error(`the devnet has no account ${name}`);
    return account;
  }

  /** Stops the node and removes its folder. */
  async stop(): Promise<void> {
    await this.close();
    await rm(this.directory, { recursive: true });
  }
}

/** Fields of a transaction in the words of symbol-sdk, addresses as bytes; missing ones get sensible defaults. */
export interface TransactionFields {
  readonly type?: string;
  readonly recipientAddress?: Buffer;
  /** Atomic units of the currency; or see `mosaics`. */
  readonly amount?: bigint;
  readonly mosaics?: readonly { mosaicId: bigint; amount: bigint }[];
  readonly message?: Buffer;
  /** The hash of the bonded aggregate of a hash lock: makes the transaction one. */
  readonly hashLock?: Buffer;
  /** Seconds from now. */
  readonly deadlineSeconds?: number;
  readonly feeMultiplier?: number;
  /** Changes the transaction before it is signed. */
  readonly change?: MakeOptions["change"];
}

/** A signed transaction (by default a transfer of nothing to its signer) as bytes. */
export function signedPayload(devnet: Devnet, signer: Party, fields: TransactionFields = {}): Buffer {
  return new TransactionMaker(devnet).transaction(signer, descriptorOf(devnet, signer, fields), fields);
}

/** Contents of an aggregate: transfers by their signers, and cosigners. */
interface AggregateFields {
  readonly version?: 1 | 2 | 3;
  /** Whether it is bonded; default false. */
  readonly bonded?: boolean;
  readonly embedded: readonly { readonly signer: Party; readonly fields: TransactionFields }[];
  readonly cosigners?: readonly Party[];
  /** Overrides the right hash over the embedded transactions. */
  readonly transactionsHash?: Buffer;
}

/** A signed and cosigned aggregate of transfers as bytes. */
export function signedAggregate(devnet: Devnet, signer: Party, fields: AggregateFields): Buffer {
  const make = new TransactionMaker(devnet);
  const embedded = fields.embedded.map((one) =>
    make.embedded(one.signer, descriptorOf(devnet, one.signer, one.fields)),
  );
  return make.aggregate({ ...fields, signer, embedded, isBonded: fields.bonded === true });
}

function descriptorOf(devnet: Devnet, signer: Party, fields: TransactionFields): Descriptor {
  if (fields.hashLock) {
    const { currencyMosaicId: mosaicId, rules } = devnet;
    return {
      ...hashLock({ mosaicId, amount: rules.lockedFundsPerAggregate }),
      hash: new Uint8Array(fields.hashLock),
    };
  }
  const { recipientAddress = signer.address, amount = 0n, type, mosaics, message } = fields;
  const transfer = transferOf(devnet, recipientAddress, amount);
  return {
    ...transfer,
    ...(type && { type }),
    ...(mosaics && { mosaics }),
    ...(message && { message: new Uint8Array(message) }),
  };
}
