import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createCredentials } from "../../catapult/certificate/certificate.js";
import { NodeResources } from "../../catapult/network/node-resources.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { Finding } from "../../cli/doctor/finding.js";
import type { PacketHandler, PacketServerOptions } from "../../devnet/protocol/packet-server.js";
import { encodeNodeInfo, GatewayFixture } from "../gateway/gateway-fixture.js";
import { anotherUser } from "../support/another-user.js";
import { Closing } from "../support/connection-fixtures.js";
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from "../support/database.js";
import { DevnetFixture } from "../support/devnet.js";
import { freePort } from "../support/free-port.js";
import { startProcess } from "../support/process.js";
import { CHAIN_NETWORK } from "../support/served-chain.js";
import { skip } from "../support/skipped.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { startTestGateway } from "../support/test-gateway.js";

let node: DevnetFixture;
let database: TestDatabase;
let settings: Record<string, string>;
const closing = new Closing();
const folder = temporaryFolder(async () => {
  await closing.closeAll();
  await node?.stop();
  await database?.drop();
});

beforeAll(async () => {
  chmodSync(folder, 0o755);
  node = await DevnetFixture.start({ zmqPort: 0 });
  database = await createMigratedDatabase();
  settings = {
    DATABASE_URL: database.url,
    CATAPULT_NODES: `127.0.0.1:${node.devnet.port}`,
    CATAPULT_ZMQ: node.devnet.zmqEndpoint ?? "",
    CATAPULT_RESOURCES: node.devnet.resourcesDirectory,
    CATAPULT_TLS_DIR: path.join(folder, "tls"),
    PORT: String(await freePort()),
    HOST: "127.0.0.1",
  };
});

async function doctor(changes: Record<string, string> = {}): Promise<{ code: number | null; findings: Finding[] }> {
  const program = startProcess(["doctor", "--json"], { env: { ...settings, ...changes } });
  const { code } = await program.exited;
  return { code, findings: JSON.parse(program.output) as Finding[] };
}

/** The findings that are not right, of a node without those about others. */
const bad = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== "ok");
/** That of tests: a superuser, without a role for the views. */
const isOfTests = ({ finding }: Finding) => /is a superuser|role for the views/.test(finding);

/** One fault, and nothing else. */
async function expectFault(changes: Record<string, string>, level: Finding["level"], subject: RegExp, text: RegExp) {
  const { code, findings } = await doctor(changes);
  const faults = bad(findings).filter((one) => !isOfTests(one));
  expect(faults).toEqual([
    { level, subject: expect.stringMatching(subject), finding: expect.stringMatching(text), advice: expect.anything() },
  ]);
  expect(code).toBe(level === "wrong" ? 1 : 0);
}

/** A node of the devnet's network that lacks some handlers. */
async function lackingNode(
  without: readonly number[],
  { seed = node.devnet.generationHashSeed, ...options }: Partial<PacketServerOptions> & { seed?: Buffer } = {},
) {
  const network = await new NodeResources(node.devnet.resourcesDirectory).network();
  const epoch = network.section("network").milliseconds("epochAdjustment");
  const time = () => {
    const now = Buffer.alloc(16);
    now.writeBigUInt64LE(BigInt(Date.now() - epoch));
    now.writeBigUInt64LE(BigInt(Date.now() - epoch), 8);
    return now;
  };
  const statistics = Buffer.alloc(32);
  statistics.writeBigUInt64LE(7n);
  const handlers: [number, PacketHandler][] = [
    [PacketType.chainStatistics, () => statistics],
    [PacketType.nodeDiscoveryPullPing, () => encodeNodeInfo(seed)],
    [PacketType.timeSyncNetworkTime, time],
    [PacketType.unlockedAccounts, () => Buffer.alloc(0)],
    [PacketType.pullPartialTransactionInfos, () => Buffer.alloc(0)],
  ];
  const server = await closing.serve(
    handlers.filter(([type]) => !without.includes(type)),
    options,
  );
  return { CATAPULT_NODES: `127.0.0.1:${server.address().port}` };
}

describe("doctor", () => {
  test("finds nothing wrong with a node, a database and files that are right, in lines for people", async () => {
    const program = startProcess(["doctor"], { env: settings });
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(program.output).not.toMatch(/^wrong/m);
    for (const line of [
      /^ok {5}certificate: identity [0-9A-F]{64}, valid for \d+ days\.$/m,
      /^ok {5}resources: read from \/.*\.$/m,
      /^ok {5}database postgres:\/\/.*: PostgreSQL 1\d.*\.$/m,
      /^ok {5}database .*: role and schema are right, nothing is indexed yet\.$/m,
      /^ok {5}node 127\.0\.0\.1:\d+: catapult \d+\.\d+\.\d+\.\d+, roles Peer.*, height 1, final \d\.$/m,
      /^ok {5}node .*: a private network \([0-9A-F]{8}…\)\.$/m,
      /^ok {5}node .*: its clock differs by \d+\.\d s from ours\.$/m,
      /^ok {5}node .*: it trusts this host\.$/m,
      /^ok {5}node .*: it takes partial transactions\.$/m,
      /^ok {5}node .*: it accepts 3 more connections\.$/m,
      /^ok {5}ZeroMQ: connected to tcp:\/\/.*\.$/m,
      /^ok {5}port \d+: free for PORT\.$/m,
    ])
      expect(program.output).toMatch(line);
  });

  test("a certificate that the node does not accept", async () => {
    const nodes = await lackingNode([], { admission: { enter: () => false, leave: () => undefined } });
    const { code, findings } = await doctor(nodes);
    expect(bad(findings).filter((one) => !isOfTests(one))).toEqual([
      {
        level: "wrong",
        subject: expect.stringMatching(/^node /),
        finding: expect.stringMatching(/dropped by the node right after the TLS handshake.*CATAPULT_TLS_DIR/),
      },
    ]);
    expect(code).toBe(1);
  });

  test("a certificate of another authority, and one without its key", async () => {
    const wrongFolder = path.join(folder, "wrong-ca");
    mkdirSync(wrongFolder);
    const [own, other] = [createCredentials({ commonName: "node" }), createCredentials({ commonName: "other" })];
    const [certificate = ""] = own.certificatePem.split(/(?<=END CERTIFICATE-----\n)/);
    writeFileSync(path.join(wrongFolder, "ca.crt.pem"), other.caCertificatePem);
    writeFileSync(path.join(wrongFolder, "node.crt.pem"), certificate);
    writeFileSync(path.join(wrongFolder, "node.key.pem"), own.privateKeyPem);
    const faults = async () =>
      bad((await doctor({ CATAPULT_TLS_DIR: wrongFolder })).findings).filter((one) => !isOfTests(one));
    const notChecked = { level: "note", subject: "nodes", finding: "not checked, because there is no certificate" };
    expect(await faults()).toEqual([
      { level: "wrong", subject: "certificate", finding: expect.stringMatching(/^CATAPULT_TLS_DIR: .*node\.crt\.pem/) },
      notChecked,
    ]);
    writeFileSync(path.join(wrongFolder, "ca.crt.pem"), own.caCertificatePem);
    writeFileSync(path.join(wrongFolder, "node.key.pem"), other.privateKeyPem);
    expect(await faults()).toEqual([
      {
        level: "wrong",
        subject: "certificate",
        finding: expect.stringMatching(/node\.key\.pem is not the key of node\.crt\.pem$/),
      },
      notChecked,
    ]);
  });

  test("an address that the node does not trust", async () => {
    await expectFault(await lackingNode([PacketType.unlockedAccounts]), "note", /^node /, /does not trust this host/);
  });

  test.each([
    [PacketType.pullPartialTransactionInfos, /takes no partial transactions/],
    [PacketType.timeSyncNetworkTime, /does not tell its time: this machine's clock counts/],
  ])("an extension that the node lacks: it does not answer %i", async (type, text) => {
    await expectFault(await lackingNode([type]), "note", /^node /, text);
  });

  test("fewer connections than are needed", async () => {
    let open = 0;
    const admission = {
      enter: () => {
        open += 1;
        return open <= 2;
      },
      leave: () => {
        open -= 1;
      },
    };
    const { findings } = await doctor(await lackingNode([], { admission }));
    expect(bad(findings).map(({ finding }) => finding)).toContainEqual(
      expect.stringMatching(/^it accepts 2 more connections: an indexer needs/),
    );
  });

  test("a node, a broker and a database that are not there", async () => {
    const port = await freePort();
    await expectFault({ CATAPULT_NODES: `127.0.0.1:${port}` }, "wrong", /^node /, /^cannot connect: .*ECONNREFUSED/);
    await expectFault({ CATAPULT_NODES: "no-such-host.invalid:7900" }, "wrong", /^node /, /ENOTFOUND|EAI_AGAIN/);
    await expectFault({ CATAPULT_ZMQ: `tcp://127.0.0.1:${port}` }, "wrong", /^ZeroMQ$/, /ECONNREFUSED/);
    await expectFault({ DATABASE_URL: `postgres://a@127.0.0.1:${port}/b` }, "wrong", /^database /, /ECONNREFUSED/);
  });

  test("a network other than that of the resources", async () => {
    const nodes = await lackingNode([], { seed: Buffer.alloc(32, 9) });
    await expectFault(nodes, "wrong", /^node /, /private network \(09090909…\), CATAPULT_RESOURCES to another network/);
  });

  test("a network other than that of the index", async () => {
    const other = await GatewayFixture.start(3);
    const seed = CHAIN_NETWORK.identity.generationHashSeed.toString("hex").toUpperCase();
    try {
      const changes = { DATABASE_URL: other.database.url };
      await expectFault(changes, "wrong", /^node /, new RegExp(`the index to that with generation hash seed ${seed}`));
    } finally {
      await other.close();
    }
  });

  const MODE = "a file that belongs to another user";
  if (!anotherUser) skip(MODE, "no program can run as another user here");
  else
    test(MODE, () => {
      const certificates = path.join(folder, "cert");
      mkdirSync(certificates, { mode: 0o755 });
      const { caCertificatePem, certificatePem, privateKeyPem } = createCredentials({ commonName: "node" });
      writeFileSync(path.join(certificates, "ca.crt.pem"), caCertificatePem);
      writeFileSync(path.join(certificates, "node.full.crt.pem"), certificatePem);
      const key = path.join(certificates, "node.key.pem");
      writeFileSync(key, privateKeyPem, { mode: 0o400 });
      const program = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
      const { status, stdout } = spawnSync(process.execPath, [program, "doctor"], {
        ...anotherUser,
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          ...settings,
          CATAPULT_RESOURCES: "",
          CATAPULT_TLS_DIR: certificates,
        },
        encoding: "utf8",
      });
      const owner = `EACCES: ${key} belongs to user 0, group 0, with mode 0400; this program is user 24001, group 24001`;
      expect(stdout).toContain(`wrong  certificate: CATAPULT_TLS_DIR: ${owner}.`);
      expect(status).toBe(1);
    });

  test("a file that is not there, or not what it should be", async () => {
    const restJson = path.join(folder, "rest.json");
    writeFileSync(restJson, "{");
    const { findings } = await doctor({ CATAPULT_RESOURCES: path.join(folder, "nowhere"), REST_JSON: restJson });
    expect(bad(findings)).toEqual(
      expect.arrayContaining([
        {
          level: "wrong",
          subject: "resources",
          finding: expect.stringMatching(
            /config-network\.properties cannot be read: ENOENT: .*nowhere does not exist$/,
          ),
        },
        { level: "wrong", subject: "rest.json", finding: `REST_JSON: ${restJson} is not JSON` },
        expect.objectContaining({ level: "wrong", finding: expect.stringMatching(/whose rules are unknown$/) }),
      ]),
    );
  });

  test("a port that is taken by another program, but not by a gateway", async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const { code, findings } = await doctor({ PORT: String(port) });
    server.close();
    expect(bad(findings).filter((one) => !isOfTests(one))).toEqual([
      { level: "wrong", subject: `port ${port}`, finding: `Port ${port} is taken: set PORT to another one` },
    ]);
    expect(code).toBe(1);
    const gateway = await startTestGateway({ databaseUrl: database.url, nodes: [node.devnet] });
    try {
      const running = await doctor({ PORT: String(gateway.port) });
      expect(running.findings).toContainEqual({
        level: "ok",
        subject: `port ${gateway.port}`,
        finding: "a symbol-gateway runs there (PORT)",
      });
    } finally {
      await gateway.stop();
    }
  });

  describe("a database", () => {
    let empty: TestDatabase;
    let url: URL;

    beforeAll(async () => {
      empty = await createTestDatabase();
      url = new URL(empty.url);
    });
    afterAll(() => empty?.drop());

    async function query(text: string) {
      const client = new pg.Client({ connectionString: empty.url });
      await client.connect();
      await client.query(text);
      await client.end();
    }

    test("without its schema", async () => {
      await expectFault({ DATABASE_URL: empty.url }, "note", /^database /, /^its schema lacks 001-chain, /);
    });

    test("whose role may not create tables", async () => {
      await query("create role doctor_guest login password 'guest'");
      url.username = "doctor_guest";
      url.password = "guest";
      try {
        const { code, findings } = await doctor({ DATABASE_URL: url.href });
        expect(bad(findings)).toContainEqual({
          level: "wrong",
          subject: expect.stringMatching(/^database postgres/),
          finding: "role doctor_guest may not create tables in schema public, or schemas",
          advice: "Make it the database's owner: alter database … owner to doctor_guest",
        });
        expect(code).toBe(1);
        url.password = "wrong";
        const text = JSON.stringify((await doctor({ DATABASE_URL: url.href })).findings);
        expect(text).not.toContain("wrong@");
      } finally {
        await query("drop role doctor_guest");
      }
    });

    test("of a PostgreSQL that is too old", async () => {
      await query(`create schema old;
        create function old.current_setting(name text) returns text language sql as $$
          select case name when 'server_version_num' then '140012' when 'server_version' then '14.12'
            else pg_catalog.current_setting(name) end $$`);
      const old = new URL(empty.url);
      old.searchParams.set("options", "-c search_path=old,pg_catalog,public");
      const { code, findings } = await doctor({ DATABASE_URL: old.href });
      expect(bad(findings)).toContainEqual({
        level: "wrong",
        subject: expect.stringMatching(/^database /),
        finding: "PostgreSQL 14.12 is too old",
        advice: "Use PostgreSQL 15 to 18",
      });
      expect(code).toBe(1);
    });
  });
});
