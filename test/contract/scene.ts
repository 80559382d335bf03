import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { findTransactionStatuses } from "../../database/mempool/transaction-statuses.js";
import { DevnetFixture } from "../support/devnet.js";
import { devnetExecution } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { type StateScenario, writeStateScenario } from "../support/state-scenario.js";
import { type Descriptor, type Party, TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

/** Amounts of the custom mosaic that is sent to a name. */
const PAID = 11n;
const UNKNOWN_MOSAIC = 0x1111_2222_3333_4444n;

/** Things that requests can name, as texts: hashes, ids and keys in upper-case hex. */
export interface SceneNames {
  /** Height of a block with transactions, receipts and resolutions. */
  readonly height: number;
  readonly transferHash: string;
  readonly aggregateHash: string;
  /** Of a statement of that block. */
  readonly statementHash: string;
  /** A mosaic that is sent under the name of a namespace. */
  readonly mosaicId: string;
  /** One that ended in the block. */
  readonly expiredMosaicId: string;
  readonly unconfirmedHash: string;
  readonly partialHash: string;
  readonly failedHash: string;
  readonly finalizedHeight: number;
}

/** A devnet with some of everything, its index, and gateways in their own processes. */
export class Scene {
  readonly node: DevnetFixture;
  readonly index: IndexedDatabase;
  readonly state: StateScenario;
  readonly make: TransactionMaker;
  readonly names: SceneNames;
  /** Of the gateway, without a slash at its end. */
  readonly url: string;
  readonly process: TestProcess;
  readonly directory: string;
  readonly #others: Run[] = [];

  private constructor(parts: Pick<Scene, "node" | "index" | "state" | "make" | "names" | "url">, run: Run) {
    ({
      node: this.node,
      index: this.index,
      state: this.state,
      make: this.make,
      names: this.names,
      url: this.url,
    } = parts);
    this.process = run.process;
    this.directory = run.directory;
  }

  /** @param environment of the gateway's process, besides its settings */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Scene> {
    const node = await DevnetFixture.start({ zmqPort: 0, seed: "contract" });
    const { devnet } = node;
    await devnet.harvest(2);
    const state = await writeStateScenario(devnet);
    const make = new TransactionMaker(devnet);
    const written = await writeTransfers(node, state, make);
    await devnet.harvest(1);
    devnet.finalize(devnet.height - 1);

    const index = await IndexedDatabase.create();
    await index.follow(devnet, { zmqUrl: devnet.zmqEndpoint, execution: await devnetExecution(devnet) });
    await index.waitForHash(devnet.block(devnet.height).hash);
    await index.waitFor((head) => head.finalization.height === devnet.finalized.height);
    await node.hasSubscriber();
    const waiting = await writeWaiting(node, state, make, index);
    const run = await startGateway(node, index, environment);
    const names = { ...written, ...waiting, finalizedHeight: devnet.finalized.height };
    return new Scene({ node, index, state, make, names, url: run.url }, run);
  }

  /** Another gateway over the same index. @returns its URL, without a slash at its end */
  async startGateway(environment: Readonly<Record<string, string>>): Promise<string> {
    const run = await startGateway(this.node, this.index, environment);
    this.#others.push(run);
    return run.url;
  }

  /** Creates a block, and waits until it is indexed. */
  async harvest(): Promise<void> {
    const { devnet } = this.node;
    await devnet.harvest(1);
    await this.index.waitForHash(devnet.block(devnet.height).hash);
  }

  async stop(): Promise<void> {
    for (const { process, directory } of [this, ...this.#others]) {
      await process.kill("SIGTERM");
      await rm(directory, { recursive: true });
    }
    await this.index.drop();
    await this.node.stop();
  }
}

interface Run {
  readonly process: TestProcess;
  readonly url: string;
  readonly directory: string;
}

async function startGateway(
  { devnet }: DevnetFixture,
  index: IndexedDatabase,
  environment: Readonly<Record<string, string>>,
): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), "symbol-gateway-contract-"));
  const restJson = join(directory, "rest.json");
  await writeFile(restJson, JSON.stringify({ nodeMetadata: { deploymentTool: "a test" } }));
  const process = startProcess(["gateway"], {
    cwd: directory,
    env: {
      DATABASE_URL: index.url,
      CATAPULT_NODES: `${devnet.host}:${devnet.port}`,
      CATAPULT_RESOURCES: devnet.resourcesDirectory,
      REST_JSON: restJson,
      DATA_DIR: directory,
      HOST: "127.0.0.1",
      PORT: "0",
      ...environment,
    },
  });
  const line = await process.waitFor(/"port":\d+,"msg":"Listening"/);
  return { process, url: `http://127.0.0.1:${/\d+/.exec(line)?.[0]}`, directory };
}

const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();
const bytes = (buffer: Buffer) => new Uint8Array(buffer);
const idText = (id: bigint) => id.toString(16).toUpperCase().padStart(16, "0");

/** Transfers under names of namespaces, a single one and one in an aggregate: the block has both kinds of resolutions. */
async function writeTransfers(fixture: DevnetFixture, { alice, bob }: StateScenario, make: TransactionMaker) {
  const { devnet } = fixture;
  const nonce = 99;
  const mosaicId = generateMosaicId(alice.address, nonce);
  const name = "alice.free";
  const fields = { type: "mosaic_definition_transaction_v1", nonce, id: mosaicId, divisibility: 0, duration: 0n };
  const short = { nonce: nonce + 1, id: generateMosaicId(alice.address, nonce + 1), duration: 2n };
  const definition: readonly Descriptor[] = [
    { ...fields, flags: "transferable" },
    { ...fields, ...short, flags: "none" },
    { type: "mosaic_supply_change_transaction_v1", mosaicId, delta: 1000n, action: "increase" },
    {
      type: "namespace_registration_transaction_v1",
      registrationType: "child",
      parentId: namespaceIdOf("alice"),
      name: "free",
      id: namespaceIdOf(name),
    },
    { type: "mosaic_alias_transaction_v1", namespaceId: namespaceIdOf(name), mosaicId, aliasAction: "link" },
  ];
  const embedded = definition.map((descriptor) => make.embedded(alice, descriptor));
  devnet.announce(make.aggregate({ signer: alice, embedded }));
  await devnet.harvest(1);

  const toName: Descriptor = {
    type: "transfer_transaction_v1",
    recipientAddress: bytes(encodeAliasAddress(namespaceIdOf("root0"), devnet.network.identifier)),
    mosaics: [{ mosaicId: namespaceIdOf(name), amount: PAID }],
  };
  const toBob = pay(bob, devnet.currencyMosaicId, 5n);
  const transfer = make.transaction(alice, toName);
  const aggregate = make.aggregate({
    signer: alice,
    embedded: [make.embedded(alice, toBob), make.embedded(bob, pay(alice, devnet.currencyMosaicId, 6n))],
    cosigners: [bob],
  });
  for (const payload of [transfer, aggregate, make.transaction(alice, toBob)]) devnet.announce(payload);
  const [block] = await devnet.harvest(1);
  if (!block || !devnet.isConfirmed(make.hashOf(transfer))) throw new Error("the payments were rejected");
  const [statement] = decodeStatement((await fixture.executed()).blocks.at(-1)!.statement).transactionStatements;
  if (!statement) throw new Error("the block has no statement");
  return {
    height: block.height,
    transferHash: hex(make.hashOf(transfer)),
    aggregateHash: hex(make.hashOf(aggregate)),
    mosaicId: idText(mosaicId),
    expiredMosaicId: idText(short.id),
    statementHash: hex(statement.hash),
  };
}

function pay({ address }: Party, mosaicId: bigint, amount: bigint): Descriptor {
  return { type: "transfer_transaction_v1", recipientAddress: bytes(address), mosaics: [{ mosaicId, amount }] };
}

/** A transaction in the pool, an aggregate that lacks two cosignatures, and a rejected one. */
async function writeWaiting(node: DevnetFixture, state: StateScenario, make: TransactionMaker, index: IndexedDatabase) {
  const { devnet, client } = node;
  const { alice, bob, carol } = state;
  const currency = devnet.currencyMosaicId;
  const partial = make.aggregate(
    {
      signer: alice,
      isBonded: true,
      embedded: [
        make.embedded(alice, pay(bob, currency, 7n)),
        make.embedded(bob, pay(alice, currency, 8n)),
        make.embedded(carol, pay(alice, currency, 11n)),
      ],
    },
    { cosignaturesToCome: 2 },
  );
  const lock: Descriptor = {
    type: "hash_lock_transaction_v1",
    mosaic: { mosaicId: currency, amount: devnet.rules.lockedFundsPerAggregate },
    duration: 1000n,
    hash: bytes(make.hashOf(partial)),
  };
  devnet.announce(make.transaction(alice, lock));
  await devnet.harvest(1);
  const unconfirmed = make.aggregate({
    signer: alice,
    embedded: [make.embedded(alice, pay(carol, currency, 9n)), make.embedded(alice, pay(bob, currency, 10n))],
  });
  const failed = make.transaction(alice, pay(bob, UNKNOWN_MOSAIC, 1n));
  await client.pushPartialTransactions([partial]);
  await client.pushTransactions([unconfirmed]);
  await client.pushTransactions([failed]);
  const hashes = [unconfirmed, partial, failed].map((payload) => make.hashOf(payload));
  await until(async () => (await findTransactionStatuses(index.db, hashes)).length === 3, "all three have a status");
  const [unconfirmedHash, partialHash, failedHash] = hashes.map(hex) as [string, string, string];
  return { unconfirmedHash, partialHash, failedHash };
}
