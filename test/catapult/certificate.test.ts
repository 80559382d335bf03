import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  createCredentials,
  loadOrCreateCredentials,
  type NodeCredentials,
  publicKeyOfCredentials,
} from "../../catapult/certificate/certificate.js";
import { writeCertificate } from "../../catapult/certificate/x509.js";
import { NodeConnection } from "../../catapult/wire/connection.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { clientCredentials, listen } from "../support/connection-fixtures.js";
import { freePort } from "../support/free-port.js";
import { skip } from "../support/skipped.js";
import { lacking } from "../support/tools.js";
import { pause, until } from "../support/until.js";

const NAME = { commonName: "gateway" };
const DAY_MS = 86_400_000;
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "certificates-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const pathOf = (file: string) => join(directory, file);
const firstPem = (credentials: NodeCredentials) => new X509Certificate(credentials.certificatePem);

/** Tests that need the openssl program; without it, they count as skipped. */
function testWithOpenssl(name: string, body: () => Promise<void> | void, timeoutMs?: number): void {
  if (hasOpenssl) test(name, body, timeoutMs);
  else skip(name, lacking("openssl"));
}

describe("createCredentials", () => {
  test("creates a node certificate signed by a self-signed CA, both Ed25519", () => {
    const credentials = createCredentials(NAME);
    const node = firstPem(credentials);
    const authority = new X509Certificate(credentials.caCertificatePem);
    expect(node.subject).toBe("CN=gateway");
    expect(node.issuer).toBe("CN=gateway CA");
    expect(authority.subject).toBe("CN=gateway CA");
    expect([node.ca, authority.ca]).toEqual([false, true]);
    expect(node.verify(authority.publicKey) && authority.verify(authority.publicKey)).toBe(true);
    expect(node.checkIssued(authority) && authority.checkIssued(authority)).toBe(true);
    expect(node.publicKey.asymmetricKeyType).toBe("ed25519");
    expect(node.checkPrivateKey(createPrivateKey(credentials.privateKeyPem))).toBe(true);
    expect(credentials.certificatePem.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    const yearsLeft = (Date.parse(node.validTo) - Date.now()) / (365 * DAY_MS);
    expect(yearsLeft).toBeGreaterThan(19);
  });

  test("uses a given main private key (RFC 8032, test 1)", () => {
    const mainPrivateKey = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex");
    const identity = publicKeyOfCredentials(createCredentials({ ...NAME, mainPrivateKey }));
    expect(identity.toString("hex")).toBe("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  });

  test("rejects a name or key of a wrong size by its name", () => {
    expect(() => createCredentials({ commonName: "" })).toThrow("commonName must have 1 to 61 bytes, not 0");
    expect(() => createCredentials({ commonName: "ü".repeat(31) })).toThrow(
      "commonName must have 1 to 61 bytes, not 62",
    );
    expect(() => createCredentials({ ...NAME, mainPrivateKey: Buffer.alloc(31) })).toThrow("mainPrivateKey");
  });

  test("encodes times before and after 2050 and numbers with a leading bit as other readers expect them", () => {
    const key = generateKeyPairSync("ed25519").privateKey;
    const notBefore = new Date("2049-12-31T23:59:59Z");
    const notAfter = new Date("2050-01-01T00:00:00Z");
    const subject = { subject: "ä", issuer: "ä", subjectKey: key, issuerKey: key, isAuthority: true };
    for (let round = 0; round < 20; round++) {
      const certificate = new X509Certificate(writeCertificate({ ...subject, notBefore, notAfter }));
      expect(new Date(certificate.validFrom)).toEqual(notBefore);
      expect(new Date(certificate.validTo)).toEqual(notAfter);
      expect(certificate.serialNumber).not.toMatch(/^-/);
      expect(certificate.verify(createPublicKey(key))).toBe(true);
    }
  });

  testWithOpenssl("is accepted by the openssl program, strictly and for both sides", () => {
    const credentials = createCredentials(NAME);
    writeFileSync(pathOf("chain.pem"), credentials.certificatePem);
    writeFileSync(pathOf("ca.pem"), credentials.caCertificatePem);
    for (const purpose of ["sslclient", "sslserver"]) {
      const chain = ["-CAfile", pathOf("ca.pem"), pathOf("chain.pem")];
      const answer = execFileSync("openssl", ["verify", "-x509_strict", "-purpose", purpose, ...chain]);
      expect(answer.toString()).toMatch(/OK/);
    }
  });
});

describe("loadOrCreateCredentials", () => {
  test("creates three files once, and reads them from then on", async () => {
    const nested = join(directory, "data", "tls");
    const made = await loadOrCreateCredentials(nested, NAME);
    expect(readdirSync(nested).sort()).toEqual(["ca.cert.pem", "node.crt.pem", "node.key.pem"]);
    expect(statSync(join(nested, "node.key.pem")).mode & 0o777).toBe(0o600);
    expect(await loadOrCreateCredentials(nested, NAME)).toEqual(made);
  });

  test("returns the same to all concurrent callers", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateCredentials(directory, NAME)));
    for (const credentials of all) expect(credentials).toEqual(all[0]);
    expect(readdirSync(directory)).toHaveLength(3);
  });

  test.each(["ca.cert.pem", "node.crt.pem", "node.key.pem"])("names a missing %s and changes nothing", async (file) => {
    await loadOrCreateCredentials(directory, NAME);
    unlinkSync(pathOf(file));
    const expected = `certificates in ${directory} are incomplete: ${file} is missing`;
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow(expected);
    expect(readdirSync(directory)).toHaveLength(2);
  });

  test("completes a node.crt.pem that has only the node's certificate", async () => {
    const made = await loadOrCreateCredentials(directory, NAME);
    writeFileSync(pathOf("node.crt.pem"), firstPem(made).toString());
    expect(await loadOrCreateCredentials(directory, NAME)).toEqual(made);
  });

  /** Files that symbol-bootstrap, shoestring, and catapult's own tool write beside the key. */
  test.each([
    "ca.cert.pem node.crt.pem node.full.crt.pem",
    "ca.crt.pem node.crt.pem node.full.crt.pem",
    "ca.crt.pem node.crt.pem",
    "node.full.crt.pem",
  ])("reads a node's own folder with %s, and writes nothing into it", async (files) => {
    const node = createCredentials(NAME);
    const contents = new Map([
      ["ca.cert.pem", node.caCertificatePem],
      ["ca.crt.pem", node.caCertificatePem],
      ["node.crt.pem", firstPem(node).toString()],
      ["node.full.crt.pem", node.certificatePem],
    ]);
    const written = ["node.key.pem", ...files.split(" ")].sort();
    for (const file of written) writeFileSync(pathOf(file), contents.get(file) ?? node.privateKeyPem);
    expect(await loadOrCreateCredentials(directory, NAME)).toEqual(node);
    expect(readdirSync(directory).sort()).toEqual(written);
    unlinkSync(pathOf("node.key.pem"));
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow("node.key.pem is missing");
  });

  test("waits for another process that is between its first and its last file", async () => {
    const made = createCredentials(NAME);
    const temporary = pathOf("node.crt.pem.0b1c5c0e-5f0a-4b7e-9d55-0d2ef7a4b1aa.tmp");
    for (const file of [pathOf("node.key.pem"), temporary]) writeFileSync(file, made.privateKeyPem);
    const loading = loadOrCreateCredentials(directory, NAME);
    await pause(1_200);
    writeFileSync(pathOf("ca.cert.pem"), made.caCertificatePem);
    writeFileSync(pathOf("node.crt.pem"), made.certificatePem);
    unlinkSync(temporary);
    expect(await loading).toEqual(made);
  });

  test("rejects files of another main key than the given one", async () => {
    const mainPrivateKey = Buffer.alloc(32, 1);
    const made = await loadOrCreateCredentials(directory, { ...NAME, mainPrivateKey });
    expect(await loadOrCreateCredentials(directory, { ...NAME, mainPrivateKey })).toEqual(made);
    const other = { ...NAME, mainPrivateKey: Buffer.alloc(32, 2) };
    await expect(loadOrCreateCredentials(directory, other)).rejects.toThrow(
      /ca\.cert\.pem belongs to another main key/,
    );
  });

  test("names the file that does not match", async () => {
    const made = await loadOrCreateCredentials(directory, NAME);
    const other = createCredentials(NAME);
    writeFileSync(pathOf("node.key.pem"), other.privateKeyPem);
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow(
      /node\.key\.pem is not the key of node\.crt/,
    );
    writeFileSync(pathOf("node.key.pem"), "nonsense");
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow(
      /node\.key\.pem does not contain a readable private key/,
    );
    writeFileSync(pathOf("node.key.pem"), made.privateKeyPem);
    writeFileSync(pathOf("ca.cert.pem"), other.caCertificatePem);
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow(/node\.crt\.pem was not signed by ca\.cert/);
    writeFileSync(pathOf("node.crt.pem"), firstPem(made).toString());
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow(
      /node\.crt\.pem: the node certificate is not/,
    );
    writeFileSync(pathOf("ca.cert.pem"), "");
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow(
      /ca\.cert\.pem does not contain a readable certificate/,
    );
  });

  test("names an expired certificate with its date", async () => {
    const key = generateKeyPairSync("ed25519").privateKey;
    const authority = { subject: "a", issuer: "a", subjectKey: key, issuerKey: key, isAuthority: true };
    const expired = { notBefore: new Date("2020-01-01"), notAfter: new Date("2021-02-03") };
    const pem = writeCertificate({ ...authority, ...expired });
    writeFileSync(pathOf("ca.cert.pem"), pem);
    writeFileSync(pathOf("node.crt.pem"), pem + pem);
    writeFileSync(pathOf("node.key.pem"), key.export({ format: "pem", type: "pkcs8" }));
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow(/certificate expired on Feb {2}3 .* 2021/);
  });
});

describe("with certificates and connections of the openssl program", () => {
  /** As created by node operators: a CA of 20 years and a node certificate without extensions (X.509 version 1). */
  function operatorsCredentials(authorityKey = "ed25519"): void {
    const openssl = (args: string) => execFileSync("openssl", args.split(" "), { cwd: directory, stdio: "pipe" });
    openssl(`genpkey -algorithm ${authorityKey} -out ca.key.pem`);
    openssl("genpkey -algorithm ed25519 -out node.key.pem");
    openssl("req -x509 -new -key ca.key.pem -subj /CN=operator -days 7300 -out ca.cert.pem");
    openssl("req -new -key node.key.pem -subj /CN=node -out node.csr.pem");
    const authority = "-CA ca.cert.pem -CAkey ca.key.pem -CAcreateserial";
    openssl(`x509 -req -in node.csr.pem ${authority} -days 375 -out node.crt.pem`);
  }

  testWithOpenssl("reads an operator's files and is accepted with them", async () => {
    operatorsCredentials();
    const credentials = await loadOrCreateCredentials(directory, NAME);
    let identity: Buffer | undefined;
    const server = await listen([
      [
        PacketType.chainStatistics,
        (_, peer) => {
          identity = peer.publicKey;
          return Buffer.from("pong");
        },
      ],
    ]);
    const connection = await NodeConnection.connect({ ...server.address(), credentials });
    try {
      expect((await connection.request(PacketType.chainStatistics)).toString()).toBe("pong");
      expect(identity).toEqual(publicKeyOfCredentials(credentials));
    } finally {
      await connection.close();
      await server.close();
    }
  });

  testWithOpenssl("rejects keys of another kind", async () => {
    operatorsCredentials("rsa");
    await expect(loadOrCreateCredentials(directory, NAME)).rejects.toThrow("the CA certificate has no Ed25519 key");
  });

  testWithOpenssl("an openssl server that verifies our chain accepts us, and its identity is known", async () => {
    const server = createCredentials({ commonName: "openssl" });
    writeFileSync(pathOf("ca.pem"), clientCredentials.caCertificatePem);
    writeFileSync(pathOf("chain.pem"), server.certificatePem);
    writeFileSync(pathOf("key.pem"), server.privateKeyPem);
    const port = await freePort();
    const verifying = ["-Verify", "1", "-CAfile", "ca.pem", "-verify_return_error", "-groups", "X25519"];
    const own = ["-cert", "chain.pem", "-cert_chain", "chain.pem", "-key", "key.pem", "-tls1_3", "-num_tickets", "0"];
    const program = spawn("openssl", ["s_server", "-accept", `127.0.0.1:${port}`, ...verifying, ...own], {
      cwd: directory,
    });
    const ended = once(program, "exit");
    const ask = async (credentials: NodeCredentials, timeoutMs?: number) => {
      const connection = await NodeConnection.connect({ host: "127.0.0.1", port, credentials });
      expect(connection.peerPublicKey).toEqual(publicKeyOfCredentials(server));
      return connection.request(PacketType.chainStatistics, undefined, { timeoutMs });
    };
    try {
      let said = "";
      program.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
      await until(() => said.includes("ACCEPT"), "openssl listens");
      // It sends nothing, but does not disconnect us either, as it does with unknown CAs.
      await expect(ask(clientCredentials, 300)).rejects.toThrow("within 300 ms");
      await expect(ask(createCredentials(NAME))).rejects.toThrow("connection closed");
    } finally {
      program.kill();
      await ended;
    }
  });

  testWithOpenssl("an openssl client with our certificates speaks with our server", async () => {
    writeFileSync(pathOf("chain.pem"), clientCredentials.certificatePem);
    writeFileSync(pathOf("key.pem"), clientCredentials.privateKeyPem);
    const server = await listen([[PacketType.chainStatistics, () => Buffer.from("pong")]]);
    const { host, port } = server.address();
    const own = ["-cert", "chain.pem", "-cert_chain", "chain.pem", "-key", "key.pem", "-tls1_3", "-groups", "X25519"];
    const program = spawn("openssl", ["s_client", "-connect", `${host}:${port}`, "-quiet", "-nocommands", ...own], {
      cwd: directory,
    });
    const ended = once(program, "exit");
    try {
      program.stdin.write(Buffer.from("0800000005000000", "hex"));
      const [answer] = (await once(program.stdout, "data")) as [Buffer];
      expect(answer.toString("latin1")).toBe("\x0c\0\0\0\x05\0\0\0pong");
    } finally {
      program.kill();
      await ended;
      await server.close();
    }
  });
});
