import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { hex } from "../../catapult/entity/hex.js";
import { PROGRAMS_SETTING, referencePrograms } from "../differential/reference-node.js";
import { createWalkNetwork } from "../differential/walk-network.js";
import { WalkedNetwork, type WalkedNode } from "../differential/walked-network.js";
import { createMigratedDatabase } from "../support/database.js";
import { freePort } from "../support/free-port.js";
import { startProcess, type TestProcess } from "../support/process.js";
import {
  checkHealth,
  commandsProblem,
  patchProperties,
  shoestringProblem,
  writeCertificates,
} from "../support/shoestring.js";
import { skip } from "../support/skipped.js";
import { type Descriptor, TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

/**
 * A node of Shoestring without MongoDB, broker and catapult-rest (`deploy/shoestring/instead.*`): the reference's server
 * with Shoestring's folders, certificates and properties, and the programs beside it. As processes instead of containers.
 */

const NAME = "a node of the reference in Shoestring's layout";
const INSTEAD = fileURLToPath(new URL("../../../deploy/shoestring/instead.ini", import.meta.url));
const XYM = 1_000_000n;

/** What Shoestring writes with `lightApi = false`; everything has the address that its node trusts. */
const SHOESTRING = `[node.node]
trustedHosts = 127.0.0.1
localNetworks = 127.0.0.1
enableAutoSyncCleanup = false
[extensions-server.extensions]
extension.filespooling = true
extension.addressextraction = false
extension.zeromq = false
extension.partialtransaction = true
extension.diagnostics = true
`;
/** Files that the nodes of other tests do not need. */
const RECOVERY =
  "[extensions]\n\nextension.filespooling = true\nextension.addressextraction = true\nextension.mongo = true\nextension.zeromq = true\n";

const PARTIAL = "[partialtransactions]\n\ncacheMaxResponseSize = 5MB\ncacheMaxSize = 20MB\n";

const programs = referencePrograms();
const problem = programs
  ? (shoestringProblem ?? commandsProblem)
  : `${PROGRAMS_SETTING} does not name a folder with catapult.server`;

if (problem !== undefined) skip(NAME, problem);
else
  describe(NAME, () => {
    const network = createWalkNetwork("a node of Shoestring", 4, "public");
    const [alice, bob] = [network.party("alice"), network.party("bob")];
    const make = new TransactionMaker({
      network: network.identity,
      rules: { epochAdjustment: network.config.epochAdjustment / 1_000 } as never,
    });
    const processes: TestProcess[] = [];
    let walked: WalkedNetwork;
    let node: WalkedNode;
    let folder: string;
    let database: Awaited<ReturnType<typeof createMigratedDatabase>>;
    let settings: Record<string, string>;
    let url: string;

    beforeAll(async () => {
      folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-shoestring-"));
      const funded = [alice, bob].map((party) => ({ party, amount: 1_000_000n * XYM }));
      walked = await WalkedNetwork.start(network, funded, programs!);
      node = walked.nodes[0]!;
      const port = await freePort();
      await node.restart(() => layOut(port));
      database = await createMigratedDatabase();
      settings = {
        ...{ DATABASE_URL: database.url, DATA_DIR: folder, HOST: "127.0.0.1", PORT: String(port) },
        CATAPULT_NODES: `127.0.0.1:${node.plan.port}`,
        CATAPULT_ZMQ: `tcp://127.0.0.1:${node.plan.messagesPort}`,
        CATAPULT_TLS_DIR: path.join(folder, "keys", "cert"),
        CATAPULT_RESOURCES: path.join(folder, "userconfig", "resources"),
        REST_JSON: path.join(folder, "userconfig", "rest.json"),
        ...{ COMPATIBILITY: "catapult-rest", INDEXER_METRICS_PORT: String(await freePort()) },
      };
      url = `http://127.0.0.1:${port}`;
      for (const command of ["indexer", "gateway"])
        processes.push(startProcess([command], { env: settings, cwd: folder }));
      await until(
        async () => (await fetch(`${url}/ready`).catch(() => undefined))?.ok === true,
        "the gateway is ready",
      );
      // A node passes over what is announced while its newest block is old.
      await until(async () => (await height()) > 2, "the node creates blocks");
    });

    afterAll(async () => {
      for (const one of processes) await one.kill("SIGTERM");
      await walked?.stop(false);
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** The node's folder, as Shoestring has it. */
    function layOut(restPort: number): void {
      const { plan } = node;
      const resources = path.join(plan.folder, "resources");
      const certificates = path.join(folder, "keys", "cert");
      for (const name of ["userconfig", "keys", "keys/cert"]) mkdirSync(path.join(folder, name), { mode: 0o700 });
      symlinkSync(resources, path.join(folder, "userconfig", "resources"));
      writeFileSync(path.join(folder, "userconfig", "rest.json"), JSON.stringify({ port: restPort }));
      // The account of the node is that of its authority.
      const pkcs8 = Buffer.concat([
        Buffer.from("302e020100300506032b657004220420", "hex"),
        network.voters[plan.index]!.account.privateKey,
      ]);
      const authority = path.join(folder, "ca.key.pem");
      writeFileSync(authority, `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString("base64")}\n-----END PRIVATE KEY-----\n`);
      writeFileSync(path.join(certificates, "node.key.pem"), plan.credentials.privateKeyPem);
      writeCertificates(certificates, authority);
      writeFileSync(path.join(resources, "config-extensions-recovery.properties"), RECOVERY);
      writeFileSync(path.join(resources, "config-pt.properties"), PARTIAL);
      writeFileSync(path.join(resources, "peers-api.json"), JSON.stringify({ knownPeers: [] }));
      const own = path.join(folder, "own.ini");
      writeFileSync(own, `${SHOESTRING}[user.storage]\ncertificateDirectory = ${certificates}\n`);
      patchProperties(resources, own);
      patchProperties(resources, INSTEAD);
    }

    async function json(route: string, init?: RequestInit): Promise<Record<string, unknown>> {
      const answer = await fetch(url + route, init);
      return { status: answer.status, ...((await answer.json()) as object) };
    }

    async function height(): Promise<number> {
      return Number((await json("/chain/info")).height);
    }

    const announce = (route: string, body: object) =>
      json(route, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

    async function isIn(group: string, payload: Buffer): Promise<void> {
      const status = () => json(`/transactionStatus/${hex(make.hashOf(payload))}`);
      let seen: unknown;
      await until(
        async () => {
          seen = await status();
          return (seen as { group?: string }).group === group;
        },
        () => `the transaction is ${group}: ${JSON.stringify(seen)}`,
      );
    }

    const transfer = (to: Buffer, amount: bigint): Descriptor => ({
      type: "transfer_transaction_v1",
      recipientAddress: new Uint8Array(to),
      mosaics: [{ mosaicId: network.currencyMosaicId, amount }],
    });

    test("doctor finds nothing wrong, and the node trusts us", async () => {
      const doctor = startProcess(["doctor"], { env: { ...settings, PORT: String(await freePort()) }, cwd: folder });
      const { code } = await doctor.exited;
      expect({ code, wrong: doctor.output.split("\n").filter((line) => line.startsWith("wrong")) }).toEqual({
        code: 0,
        wrong: [],
      });
      expect(await json("/node/unlockedaccount")).toMatchObject({ status: 200 });
    });

    test("all health agents pass", async () => {
      const { text, problems } = await checkHealth(folder);
      for (const agent of ["certificate", "peer API", "REST API", "websockets"])
        expect(text).toMatch(new RegExp(agent, "i"));
      expect(problems).toEqual([]);
    });

    test("a transfer is confirmed, and one above its signer's balance is rejected by the node's code", async () => {
      const payload = make.transaction(alice, transfer(bob.address, 5n * XYM));
      expect(await announce("/transactions", { payload: hex(payload) })).toMatchObject({ status: 202 });
      await isIn("confirmed", payload);
      const poor = make.transaction(network.party("poor"), transfer(bob.address, 0n));
      await announce("/transactions", { payload: hex(poor) });
      await isIn("failed", poor);
    });

    test("a bonded aggregate is partial until it is cosigned, and then confirmed", async () => {
      const aggregate = make.aggregate(
        {
          signer: alice,
          embedded: [make.embedded(alice, transfer(bob.address, 1n)), make.embedded(bob, transfer(alice.address, 2n))],
          isBonded: true,
          version: 1,
        },
        { cosignaturesToCome: 1 },
      );
      const hash = make.hashOf(aggregate);
      const lock = make.transaction(alice, {
        type: "hash_lock_transaction_v1",
        mosaic: { mosaicId: network.currencyMosaicId, amount: network.config.hashLock.lockedFundsPerAggregate },
        duration: 100n,
        hash: new Uint8Array(hash),
      });
      await announce("/transactions", { payload: hex(lock) });
      await isIn("confirmed", lock);
      expect(await announce("/transactions/partial", { payload: hex(aggregate) })).toMatchObject({ status: 202 });
      await isIn("partial", aggregate);
      const bytes = make.cosignature(bob, hash);
      const cosignature = {
        version: "0",
        signerPublicKey: hex(bob.publicKey),
        signature: hex(bytes.subarray(40, 104)),
        parentHash: hex(hash),
      };
      expect(await announce("/transactions/cosignature", cosignature)).toMatchObject({ status: 202 });
      await isIn("confirmed", aggregate);
    });

    test("after reset-data, REST stays at its height until the node has come back to it, and continues", async () => {
      const { plan } = node;
      const before = await height();
      const [data, kept] = [path.join(plan.folder, "data"), path.join(folder, "kept")];
      const harvesting = (isOn: boolean) => {
        const overrides = path.join(folder, "harvesting.ini");
        writeFileSync(overrides, `[extensions-server.extensions]\nextension.harvesting = ${isOn}\n`);
        patchProperties(path.join(plan.folder, "resources"), overrides);
      };
      // The node of a network of one would harvest another chain: it gets its own back in place of its peers'.
      await node.restart(() => {
        cpSync(data, kept, { recursive: true });
        rmSync(data, { recursive: true });
        mkdirSync(data);
        harvesting(false);
      });
      const client = node.client();
      expect((await client.chainStatistics()).height).toBe(1);
      expect(await height()).toBeGreaterThanOrEqual(before);
      expect(await json("/ready")).toMatchObject({ status: 200 });
      await node.restart(() => {
        rmSync(data, { recursive: true });
        cpSync(kept, data, { recursive: true });
        harvesting(true);
      });
      const last = await height();
      await until(async () => (await height()) > last, "the index continues");
    });
  });
