import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivateKey, PublicKey } from "symbol-sdk";
import { KeyPair, MessageEncoder, VotingKeysGenerator } from "symbol-sdk/symbol";
import {
  createCredentials,
  type NodeCredentials,
  publicKeyOfCredentials,
} from "../../catapult/certificate/certificate.js";
import { rawPublicKey } from "../../catapult/certificate/certificate-chain.js";
import { encodeAddress } from "../../catapult/entity/address.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { hex } from "../../catapult/entity/hex.js";
import type { StoredBlock } from "../../devnet/chain/chain.js";
import { fillTemplates, NODE_FILES } from "./node-properties.js";
import type { HarvestingParty, Party, WalkNetwork } from "./walk-network.js";

const LAST_EPOCH = 360n;
/** A request to delegate harvesting begins with a marker, which the node's own file does not have. */
const DELEGATION_MARKER_SIZE = 8;

/** A node to create: where it listens, and who owns it. */
export interface NodePlan {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly messagesPort: number;
  readonly voter: WalkNetwork["voters"][number];
  readonly harvesters: readonly HarvestingParty[];
  /** Gets a share of the harvest; by default each harvester itself. */
  readonly beneficiary: Party | undefined;
  readonly credentials: NodeCredentials;
}

/** Public key of a node's own certificate, to which accounts delegate harvesting. */
export function nodeKeyOf({ privateKeyPem }: NodeCredentials): Buffer {
  return rawPublicKey(createPublicKey(createPrivateKey(privateKeyPem)));
}

/** The certificates of a node of this main account. */
export function nodeCredentials(name: string, { privateKey }: Party): NodeCredentials {
  return createCredentials({ commonName: name, mainPrivateKey: privateKey });
}

/**
 * Writes everything that a node of the reference reads: certificates, keys, settings, the first block, its peers and
 * the accounts that harvest on it.
 */
export async function writeNodeFolder(
  plan: NodePlan,
  peers: readonly NodePlan[],
  network: WalkNetwork,
  nemesis: StoredBlock,
  pluginsFolder: string,
): Promise<void> {
  const inFolder = (name: string) => join(plan.folder, name);
  const folders = ["resources", "seed/00000", "data", "certificate", "votingkeys"];
  for (const name of folders) await mkdir(inFolder(name), { recursive: true });
  const [own] = plan.harvesters;
  const resources = {
    ...network.properties,
    ...fillTemplates(NODE_FILES, {
      port: plan.port,
      messagesPort: plan.messagesPort,
      name: plan.name,
      folder: plan.folder,
      pluginsFolder,
      harvesterPrivateKey: hex((own!.remote ?? own!.account).privateKey),
      vrfPrivateKey: hex(own!.vrf.privateKey),
      beneficiaryAddress: plan.beneficiary ? encodeAddress(plan.beneficiary.address) : "",
    }),
    "peers-p2p.json": peersFile(peers),
  };
  for (const [name, text] of Object.entries(resources)) await writeFile(inFolder(`resources/${name}`), text);
  await writeCertificates(inFolder("certificate"), plan.credentials);
  await writeSeed(inFolder("seed"), network, nemesis);
  await writeFile(inFolder("votingkeys/private_key_tree1.dat"), votingKeys(plan.voter.votingRoot));
  await writeFile(inFolder("data/harvesters.dat"), delegations(plan));
}

function peersFile(peers: readonly NodePlan[]): string {
  const knownPeers = peers.map(({ name, port, credentials }) => ({
    publicKey: hex(publicKeyOfCredentials(credentials)),
    endpoint: { host: "127.0.0.1", port },
    metadata: { name, roles: "IPv4,Peer,Api,Voting" },
  }));
  return JSON.stringify({ knownPeers });
}

async function writeCertificates(folder: string, credentials: NodeCredentials): Promise<void> {
  const { caCertificatePem, certificatePem, privateKeyPem } = credentials;
  const { publicKey } = new X509Certificate(caCertificatePem);
  await writeFile(join(folder, "ca.pubkey.pem"), publicKey.export({ format: "pem", type: "spki" }));
  await writeFile(join(folder, "node.full.crt.pem"), certificatePem);
  await writeFile(join(folder, "node.key.pem"), privateKeyPem);
}

/** The first block and its proof, as a node stores them: each block with its hashes, and an index of hashes. */
async function writeSeed(folder: string, network: WalkNetwork, nemesis: StoredBlock): Promise<void> {
  const { block, hash, generationHash, roots } = nemesis;
  const one = Buffer.alloc(8);
  one.writeUInt8(1);
  const round = Buffer.concat([Buffer.of(1, 0, 0, 0, 1, 0, 0, 0), one, hash]);
  const proof = Buffer.concat([Buffer.of(56, 0, 0, 0, 1, 0, 0, 0), round]);
  const transactions = decodeBlock(block, network.identity).transactions;
  const hashes = transactions.flatMap((one) => [one.hash, one.merkleComponentHash]);
  const counted = (items: readonly Buffer[], count: number) => Buffer.concat([uint32(count), ...items]);
  const stored = [block, hash, generationHash, counted(hashes, transactions.length), counted(roots, roots.length)];
  const files = {
    "index.dat": one,
    "proof.index.dat": round,
    "00000/hashes.dat": Buffer.concat([Buffer.alloc(32), hash]),
    "00000/00001.dat": Buffer.concat(stored),
    "00000/00001.proof": proof,
    "00000/proof.heights.dat": Buffer.alloc(16),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
}

function votingKeys(root: Party): Uint8Array {
  return new VotingKeysGenerator(keyPairOf(root)).generate(1n, LAST_EPOCH);
}

/** The private keys of the accounts that harvest on the node, encrypted for it. */
function delegations({ harvesters, credentials }: NodePlan): Buffer {
  const nodeKey = new PublicKey(new Uint8Array(nodeKeyOf(credentials)));
  const requests = harvesters.slice(1).map(({ account, remote, vrf }) => {
    const encoder = new MessageEncoder(keyPairOf(account));
    const request = encoder.encodePersistentHarvestingDelegation(nodeKey, keyPairOf(remote ?? account), keyPairOf(vrf));
    return Buffer.from(request).subarray(DELEGATION_MARKER_SIZE);
  });
  return Buffer.concat(requests);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function keyPairOf({ privateKey }: Party): KeyPair {
  return new KeyPair(new PrivateKey(new Uint8Array(privateKey)));
}
