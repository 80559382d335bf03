import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivateKey, PublicKey } from "symbol-sdk";
import { KeyPair, MessageEncoder, VotingKeysGenerator } from "symbol-sdk/symbol";
import type { NodeCredentials } from "../../catapult/certificate/certificate.js";
import { rawPublicKey } from "../../catapult/certificate/certificate-chain.js";
import { encodeAddress } from "../../catapult/entity/address.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { hex } from "../../catapult/entity/hex.js";
import { fillTemplates, NODE_FILES } from "./node-properties.js";
import type { WalkNemesis } from "./walk-nemesis.js";
import { harvestersOn, type Party, type WalkNetwork } from "./walk-network.js";

const LAST_EPOCH = 360n;
/** A request to delegate harvesting begins with a marker, which the node's own file does not have. */
const DELEGATION_MARKER_SIZE = 8;

/** Another node, as a node finds it. */
export interface PlannedPeer {
  readonly publicKey: Buffer;
  readonly port: number;
}

/** A node to create: where it listens, and its certificates, which are those of its voter. */
export interface NodePlan {
  /** Of the node and of its voter. */
  readonly index: number;
  readonly folder: string;
  readonly port: number;
  readonly messagesPort: number;
  readonly credentials: NodeCredentials;
}

/** Public key of a node's own certificate, to which accounts delegate harvesting. */
export function nodeKeyOf({ privateKeyPem }: NodeCredentials): Buffer {
  return rawPublicKey(createPublicKey(createPrivateKey(privateKeyPem)));
}

/**
 * Writes everything that a node of the reference reads: certificates, keys, settings, the first block, and the accounts
 * that harvest on it.
 *
 * @param peers the other nodes: it learns no other addresses of them
 */
export async function writeNodeFolder(
  plan: NodePlan,
  network: WalkNetwork,
  nemesis: WalkNemesis,
  pluginsFolder: string,
  peers: readonly PlannedPeer[],
): Promise<void> {
  const inFolder = (name: string) => join(plan.folder, name);
  const folders = ["resources", "seed/00000", "data", "certificate", "votingkeys"];
  for (const name of folders) await mkdir(inFolder(name), { recursive: true });
  const [own] = harvestersOn(network, plan.index);
  const resources = {
    ...network.properties,
    ...fillTemplates(NODE_FILES, {
      port: plan.port,
      messagesPort: plan.messagesPort,
      // A node would reject connections of a peer in a local network: it gives it another name than the list of peers.
      localNetworks: peers.length === 0 ? "127.0.0.1" : "none",
      folder: plan.folder,
      pluginsFolder,
      harvesterPrivateKey: hex((own!.remote ?? own!.account).privateKey),
      vrfPrivateKey: hex(own!.vrf.privateKey),
      beneficiaryAddress: encodeAddress(network.party("beneficiary").address),
    }),
    "peers-p2p.json": JSON.stringify({ knownPeers: peers.map(peerEntry) }),
  };
  for (const [name, text] of Object.entries(resources)) await writeFile(inFolder(`resources/${name}`), text);
  await writeCertificates(inFolder("certificate"), plan.credentials);
  await writeSeed(inFolder("seed"), network, nemesis);
  await writeFile(inFolder("votingkeys/private_key_tree1.dat"), votingKeys(network.voters[plan.index]!.votingRoot));
  await writeFile(inFolder("data/harvesters.dat"), delegations(network, plan));
}

function peerEntry({ publicKey, port }: PlannedPeer): object {
  const metadata = { name: "walked node", roles: "IPv4,Peer,Api,Voting" };
  return { publicKey: hex(publicKey), endpoint: { host: "127.0.0.1", port }, metadata };
}

async function writeCertificates(folder: string, credentials: NodeCredentials): Promise<void> {
  const { caCertificatePem, certificatePem, privateKeyPem } = credentials;
  const { publicKey } = new X509Certificate(caCertificatePem);
  await writeFile(join(folder, "ca.pubkey.pem"), publicKey.export({ format: "pem", type: "spki" }));
  await writeFile(join(folder, "node.full.crt.pem"), certificatePem);
  await writeFile(join(folder, "node.key.pem"), privateKeyPem);
}

/** The first block and its proof, as a node stores them: each block with its hashes, and an index of hashes. */
async function writeSeed(folder: string, network: WalkNetwork, nemesis: WalkNemesis): Promise<void> {
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
function delegations(network: WalkNetwork, { index, credentials }: NodePlan): Buffer {
  const nodeKey = new PublicKey(new Uint8Array(nodeKeyOf(credentials)));
  const [, ...harvesters] = harvestersOn(network, index);
  const requests = harvesters.map(({ account, remote, vrf }) => {
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
