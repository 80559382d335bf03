import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, X509Certificate } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { rawPublicKey, verifyCertificateChain } from "./certificate-chain.js";
import { CertificateError } from "./der.js";
import { writeCertificate } from "./x509.js";

/**
 * Our identity on node connections: a self-signed CA certificate of the main key and a node certificate signed by it,
 * both Ed25519, and the private key of the node certificate. Other nodes identify us by the main public key.
 */
export interface NodeCredentials {
  readonly caCertificatePem: string;
  /** The whole chain: the node's certificate, then the CA's. */
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** The files that we write, and those of a node's folder created by symbol-bootstrap. */
const FILES = { ca: "ca.cert.pem", certificate: "node.crt.pem", privateKey: "node.key.pem" } as const;
/** The file that the reference node itself reads besides the key: both certificates, the node's first. */
const FULL_CHAIN = "node.full.crt.pem";
/** shoestring's name of the CA certificate. */
const CA_OF_SHOESTRING = "ca.crt.pem";
const ALL_FILES: readonly string[] = [...Object.values(FILES), FULL_CHAIN, CA_OF_SHOESTRING];
const TEMPORARY = /\.[0-9a-f-]{36}\.tmp$/;

/**
 * A gateway's certificates are never renewed, and an expired one cuts the gateway off from its node; so both
 * certificates are valid for as long as a CA certificate of the reference tools.
 */
const VALIDITY_DAYS = 7300;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum wait for another process that is writing the files; it takes milliseconds. */
const OTHER_PROCESS_MS = 10_000;

/**
 * Creates a new identity.
 * @param options.commonName subject of the node certificate, 1 to 61 bytes; the CA's is the same followed by ` CA`
 * @param options.mainPrivateKey 32 bytes; the CA's key, and so the identity. If absent, a random one that is not
 * stored
 * @throws RangeError when one of them has another size
 */
export function createCredentials(options: { commonName: string; mainPrivateKey?: Buffer }): NodeCredentials {
  const nameSize = Buffer.byteLength(options.commonName);
  if (nameSize < 1 || nameSize > 61) throw new RangeError(`commonName must have 1 to 61 bytes, not ${nameSize}`);

  const mainKey = options.mainPrivateKey
    ? ed25519PrivateKey(options.mainPrivateKey)
    : generateKeyPairSync("ed25519").privateKey;
  const nodeKey = generateKeyPairSync("ed25519").privateKey;
  const authority = `${options.commonName} CA`;
  // A day of tolerance for peers whose clocks are slow.
  const validity = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + VALIDITY_DAYS * DAY_MS),
  };
  const signed = { issuer: authority, issuerKey: mainKey, ...validity };

  const caCertificatePem = writeCertificate({ ...signed, subject: authority, subjectKey: mainKey, isAuthority: true });
  const nodePem = writeCertificate({ ...signed, subject: options.commonName, subjectKey: nodeKey, isAuthority: false });
  return {
    caCertificatePem,
    certificatePem: nodePem + caCertificatePem,
    privateKeyPem: nodeKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

/**
 * Reads the files of a node's certificate folder: `node.key.pem`, and either `node.full.crt.pem` or `node.crt.pem`
 * with `ca.cert.pem` or `ca.crt.pem`. If the folder has none of them, creates `ca.cert.pem`, `node.crt.pem` and
 * `node.key.pem` (readable by its owner only). Safe for several processes that start at the same time: all get the
 * same set.
 * @param options see {@link createCredentials}; with `mainPrivateKey`, files of another identity are rejected
 * @throws CertificateError naming the file that is missing, unreadable, expired or does not match the others
 */
export async function loadOrCreateCredentials(
  directory: string,
  options: { commonName: string; mainPrivateKey?: Buffer },
): Promise<NodeCredentials> {
  let files = await filesIn(directory);
  if (!ALL_FILES.some((file) => files.has(file))) {
    await writeCredentials(directory, createCredentials(options));
    files = await filesIn(directory);
  }
  // Another process may be writing: its temporary files exist until it is done. Two listings without them are
  // conclusive, because one may miss a file that appears meanwhile.
  let quiet = 0;
  for (let waited = 0; missingFiles(files).length > 0 && quiet < 2 && waited < OTHER_PROCESS_MS; waited += 50) {
    await delay(50);
    quiet = [...files].some((file) => TEMPORARY.test(file)) ? 0 : quiet + 1;
    files = await filesIn(directory);
  }
  const missing = missingFiles(files);
  if (missing.length > 0) {
    throw new CertificateError(`certificates in ${directory} are incomplete: ${missing.join(", ")} is missing`);
  }

  const credentials = await readCredentials(directory, files);
  if (options.mainPrivateKey) {
    const expected = rawPublicKey(ed25519PrivateKey(options.mainPrivateKey));
    if (!publicKeyOfCredentials(credentials).equals(expected)) {
      throw new CertificateError(`${join(directory, FILES.ca)} belongs to another main key than the given one`);
    }
  }
  return credentials;
}

/** Our identity on node connections: the main public key, 32 bytes. */
export function publicKeyOfCredentials(credentials: NodeCredentials): Buffer {
  return rawPublicKey(new X509Certificate(credentials.caCertificatePem).publicKey);
}

/** TLS options of both sides of a node connection: TLS 1.3, X25519, certificates on both sides. */
export function tlsOptions(credentials: NodeCredentials) {
  return {
    cert: credentials.certificatePem,
    key: credentials.privateKeyPem,
    minVersion: "TLSv1.3",
    maxVersion: "TLSv1.3",
    ecdhCurve: "X25519",
    // Nodes have no certificate authority. publicKeyOfPeer checks their certificates.
    ca: [] as string[],
    rejectUnauthorized: false,
  } as const;
}

async function filesIn(directory: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(directory));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Set();
    throw error;
  }
}

function missingFiles(files: ReadonlySet<string>): string[] {
  const needed = files.has(FULL_CHAIN)
    ? [FILES.privateKey]
    : Object.values(FILES).map((file) => (file === FILES.ca && files.has(CA_OF_SHOESTRING) ? CA_OF_SHOESTRING : file));
  return needed.filter((file) => !files.has(file));
}

/** Each file is created atomically; the process that creates the key first creates the rest. */
async function writeCredentials(directory: string, credentials: NodeCredentials): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const contents = [
    [FILES.privateKey, credentials.privateKeyPem, 0o600],
    [FILES.ca, credentials.caCertificatePem, 0o644],
    [FILES.certificate, credentials.certificatePem, 0o644],
  ] as const;
  const suffix = `.${randomUUID()}.tmp`;
  try {
    for (const [file, text, mode] of contents) {
      await writeFile(join(directory, file + suffix), text, { mode, flag: "wx", flush: true });
    }
    for (const [file] of contents) await link(join(directory, file + suffix), join(directory, file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    for (const [file] of contents) await rm(join(directory, file + suffix), { force: true });
  }
}

async function readCredentials(directory: string, files: ReadonlySet<string>): Promise<NodeCredentials> {
  const chain = await readChain(directory, files);
  const privateKeyPem = await readFile(join(directory, FILES.privateKey), "utf8");

  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(privateKeyPem);
  } catch {
    throw new CertificateError(`${join(directory, FILES.privateKey)} does not contain a readable private key`);
  }
  if (!chain[0]!.checkPrivateKey(privateKey)) {
    const certificate = files.has(FULL_CHAIN) ? FULL_CHAIN : FILES.certificate;
    throw new CertificateError(`${join(directory, FILES.privateKey)} is not the key of ${certificate}`);
  }
  return { caCertificatePem: String(chain[1]), certificatePem: chain.map(String).join(""), privateKeyPem };
}

/** The node's certificate and the CA's. */
async function readChain(directory: string, files: ReadonlySet<string>): Promise<X509Certificate[]> {
  const read = async (file: string) => parsePem(await readFile(join(directory, file), "utf8"), join(directory, file));
  const verified = (chain: X509Certificate[], file: string) => {
    try {
      verifyCertificateChain(chain);
      return chain;
    } catch (error) {
      throw new CertificateError(`${join(directory, file)}: ${(error as Error).message}`);
    }
  };
  if (files.has(FULL_CHAIN)) return verified(await read(FULL_CHAIN), FULL_CHAIN);

  const authorityFile = files.has(FILES.ca) ? FILES.ca : CA_OF_SHOESTRING;
  const [authority] = await read(authorityFile);
  const certificates = await read(FILES.certificate);
  const chain = verified(certificates.length === 1 ? [...certificates, authority!] : certificates, FILES.certificate);
  if (!chain[1]!.raw.equals(authority!.raw)) {
    throw new CertificateError(`${join(directory, FILES.certificate)} was not signed by ${authorityFile}`);
  }
  return chain;
}

function parsePem(text: string, path: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length === 0) throw new Error("no certificate");
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw new CertificateError(`${path} does not contain a readable certificate`);
  }
}

const PKCS8_ED25519_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

function ed25519PrivateKey(seed: Buffer): KeyObject {
  if (seed.length !== 32) throw new RangeError(`mainPrivateKey must have 32 bytes, not ${seed.length}`);
  return createPrivateKey({ key: Buffer.concat([PKCS8_ED25519_PREFIX, seed]), format: "der", type: "pkcs8" });
}
