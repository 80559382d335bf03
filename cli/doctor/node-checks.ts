import type { Logger } from "pino";
import { pino } from "pino";
import type { NodeCredentials } from "../../catapult/certificate/certificate.js";
import { hex } from "../../catapult/entity/hex.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { NodeResources } from "../../catapult/network/node-resources.js";
import type { Properties } from "../../catapult/network/properties.js";
import { identityIn, publicNetwork, shownSeed } from "../../catapult/network/public-networks.js";
import { endpointName } from "../../catapult/wire/connection.js";
import { NodeUnavailableError } from "../../catapult/wire/errors.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import type { NodeInfo } from "../../catapult/wire/node-info.js";
import type { HostAndPort } from "../settings/setting-kinds.js";
import { type Finding, note, ok, withoutStop, wrong } from "./finding.js";

const TIMEOUT_MS = 5_000;
/** Of an indexer that fills, and of a gateway. */
const NEEDED_CONNECTIONS = 3;
/** A block of the network may be this far ahead of a node's clock; the rest is for the way. In ms. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000;
/** Nothing that is pending has a later deadline, so that the response is empty. */
const NO_DEADLINE = Number.MAX_SAFE_INTEGER;
const silent: Logger = pino({ level: "silent" });

const ROLES: readonly (readonly [number, string])[] = [
  [1, "Peer"],
  [2, "Api"],
  [4, "Voting"],
];

export interface NodeCheckOptions {
  readonly credentials: NodeCredentials;
  /** The files of CATAPULT_RESOURCES. */
  readonly resources: NodeResources | undefined;
  /** That of the index, if there is one. */
  readonly indexed: NetworkIdentity | undefined;
}

/** Checks everything about a node that an indexer or a gateway would notice later. */
export async function checkNode(endpoint: HostAndPort, options: NodeCheckOptions): Promise<Finding[]> {
  const subject = `node ${endpointName(endpoint)}`;
  /** Each question has a connection of its own: a node closes it on what it does not answer. */
  const ask = async <T>(question: (client: NodeClient) => Promise<T>): Promise<T> => {
    const client = open(endpoint, options.credentials);
    try {
      return await question(client);
    } finally {
      await client.close();
    }
  };
  let about: { readonly info: NodeInfo; readonly height: number; readonly finalizedHeight: number };
  try {
    about = await ask(async (client) => ({ ...(await client.chainStatistics()), info: await client.nodeInfo() }));
  } catch (error) {
    const [attempt] = error instanceof NodeUnavailableError ? error.attempts : [];
    const reason = withoutStop(attempt?.reason ?? (error as Error).message).replace(`${subject}: `, "");
    return [wrong(subject, reason, adviceOn(reason))];
  }
  const { info, height, finalizedHeight } = about;
  const network = await readNetwork(info, options.resources);
  const identity = { identifier: info.networkIdentifier, generationHashSeed: info.networkGenerationHashSeed };
  return [
    ok(
      subject,
      `catapult ${versionText(info.version)}, ${rolesText(info.roles)}, height ${height}, final ${finalizedHeight}`,
    ),
    checkNetwork(subject, identity, network, options),
    ...(network ? [await checkClock(subject, network, ask)] : []),
    await checkTrust(subject, ask),
    await checkPartial(subject, ask),
    await checkConnections(subject, endpoint, options.credentials),
  ];
}

type Ask = <T>(question: (client: NodeClient) => Promise<T>) => Promise<T>;

function open(endpoint: HostAndPort, credentials: NodeCredentials): NodeClient {
  const timeouts = { requestTimeoutMs: TIMEOUT_MS, connectTimeoutMs: TIMEOUT_MS };
  return new NodeClient({ nodes: [endpoint], credentials, log: silent, ...timeouts });
}

/** The reason of a dropped connection has its remedies itself. */
function adviceOn(reason: string): string | undefined {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return "Check the name in CATAPULT_NODES";
  if (/ECONNREFUSED|EHOSTUNREACH|no response within/.test(reason)) {
    return "Check CATAPULT_NODES, that the node runs, and that its port is reachable from here";
  }
  return undefined;
}

function versionText(version: number): string {
  return [24, 16, 8, 0].map((bits) => (version >>> bits) & 0xff).join(".");
}

function rolesText(roles: number): string {
  return `roles ${
    ROLES.filter(([bit]) => (roles & bit) !== 0)
      .map(([, name]) => name)
      .join(", ") || "none"
  }`;
}

/** The configuration of the node's network: that of CATAPULT_RESOURCES, or built in; undefined if neither is of it. */
async function readNetwork(info: NodeInfo, resources: NodeResources | undefined): Promise<Properties | undefined> {
  const { networkGenerationHashSeed: generationHashSeed, networkIdentifier: identifier } = info;
  const configured = await resources?.network().catch(() => undefined);
  if (configured && identityIn(configured).generationHashSeed.equals(generationHashSeed)) return configured;
  return publicNetwork({ identifier, generationHashSeed })?.network;
}

function checkNetwork(
  subject: string,
  identity: NetworkIdentity,
  network: Properties | undefined,
  { indexed, resources }: NodeCheckOptions,
): Finding {
  const shown = `${publicNetwork(identity)?.description ?? "a private network"} (${shownSeed(identity)}…)`;
  if (indexed && !indexed.generationHashSeed.equals(identity.generationHashSeed)) {
    const other = `it belongs to ${shown}, the index to that with generation hash seed ${hex(indexed.generationHashSeed)}`;
    return wrong(subject, other, "Check CATAPULT_NODES and DATABASE_URL");
  }
  if (network) return ok(subject, shown);
  const advice = "Set CATAPULT_RESOURCES to the resources folder of a node of this network";
  if (resources) return wrong(subject, `it belongs to ${shown}, CATAPULT_RESOURCES to another network`, advice);
  return wrong(subject, `it belongs to ${shown}, whose rules are unknown`, advice);
}

async function checkClock(subject: string, network: Properties, ask: Ask): Promise<Finding> {
  const epoch = network.section("network").milliseconds("epochAdjustment");
  const differenceMs = await ask(async (client) => {
    // The connection is open then.
    await client.chainStatistics();
    const sentAt = Date.now();
    const { sendTimestamp } = await client.time();
    return epoch + sendTimestamp - (sentAt + Date.now()) / 2;
  }).catch(() => undefined);
  if (differenceMs === undefined) {
    return note(
      subject,
      "it does not tell its time: this machine's clock counts for deadlines",
      "For it, set extension.timesync = true in the node's config-extensions-server.properties",
    );
  }
  const seconds = `${(Math.abs(differenceMs) / 1_000).toFixed(1)} s`;
  if (Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS)
    return ok(subject, `its clock differs by ${seconds} from ours`);
  const direction = differenceMs > 0 ? "ahead of" : "behind";
  return wrong(subject, `its clock is ${seconds} ${direction} this machine's`, "Set both by NTP");
}

async function checkTrust(subject: string, ask: Ask): Promise<Finding> {
  const answers = await answersTo(ask, (client) => client.unlockedAccounts());
  if (answers) return ok(subject, "it trusts this host");
  return note(
    subject,
    "it does not trust this host, or has no diagnostics extension: /node/unlockedaccount and state paths are 503",
    "For these, add this host's address to trustedHosts of the node's config-node.properties",
  );
}

async function checkPartial(subject: string, ask: Ask): Promise<Finding> {
  const answers = await answersTo(ask, (client) => client.partialTransactions({ minDeadline: NO_DEADLINE }));
  if (answers) return ok(subject, "it takes partial transactions");
  return note(
    subject,
    "it takes no partial transactions: bonded aggregates cannot be announced",
    "For these, set extension.partialtransaction = true in the node's config-extensions-server.properties",
  );
}

/** Whether the node answers; on what it does not, it closes the connection. */
async function answersTo(ask: Ask, question: (client: NodeClient) => Promise<unknown>): Promise<boolean> {
  return ask(async (client) => {
    await client.chainStatistics();
    return question(client).then(
      () => true,
      () => false,
    );
  }).catch(() => false);
}

async function checkConnections(
  subject: string,
  endpoint: HostAndPort,
  credentials: NodeCredentials,
): Promise<Finding> {
  const clients = Array.from({ length: NEEDED_CONNECTIONS }, () => open(endpoint, credentials));
  try {
    let accepted = 0;
    // One after the other: the node counts them.
    for (const client of clients) {
      const isOpen = await client.chainStatistics().then(
        () => true,
        () => false,
      );
      if (isOpen) accepted += 1;
    }
    const needed = `an indexer needs 2 while it fills, a gateway 1`;
    if (accepted === NEEDED_CONNECTIONS) return ok(subject, `it accepts ${accepted} more connections`);
    const advice =
      "Raise maxIncomingConnectionsPerIdentity of the node's config-node.properties, unless the program runs already";
    return note(subject, `it accepts ${accepted} more connections: ${needed}`, advice);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}
