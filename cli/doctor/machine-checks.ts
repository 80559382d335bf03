import { pino } from "pino";
import { type NodeCredentials, publicKeyOfCredentials } from "../../catapult/certificate/certificate.js";
import { readExpiry } from "../../catapult/certificate/certificate-chain.js";
import { hex } from "../../catapult/entity/hex.js";
import { NodeResources } from "../../catapult/network/node-resources.js";
import { checkTlsFiles, TlsFilesError } from "../../gateway/http/tls.js";
import { makeGatewayUrl } from "../development/gateway-url.js";
import { checkPort, findTlsFiles, loadCredentials, openResources, parseInternalPort } from "../parts/parts.js";
import { readRestJson } from "../parts/rest-json.js";
import { reach } from "../process/reach.js";
import { UsageError } from "../process/usage-error.js";
import type { HostAndPort } from "../settings/setting-kinds.js";
import type { Settings } from "../settings/settings.js";
import { type Finding, note, ok, withoutStop, wrong } from "./finding.js";

const DAY_S = 86_400;
const SOON_DAYS = 14;
const TIMEOUT_MS = 5_000;

/** What a check found, and what others need of it. */
export interface Checked<T> {
  readonly findings: readonly Finding[];
  readonly value?: T | undefined;
}

/** An error of `work` that is for the operator is a finding. */
async function finding<T>(subject: string, work: () => Promise<T> | T): Promise<Checked<T>> {
  try {
    return { findings: [], value: await work() };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof TlsFilesError)) throw error;
    return { findings: [wrong(subject, withoutStop(error.message))] };
  }
}

/** The certificate towards nodes. */
export async function checkCertificate(settings: Settings): Promise<Checked<NodeCredentials>> {
  const subject = "certificate";
  const { findings, value } = await finding(subject, () => loadCredentials(settings));
  if (!value) return { findings };
  const identity = `identity ${hex(publicKeyOfCredentials(value))}`;
  const days = Math.floor((readExpiry(value.certificatePem) - Date.now() / 1_000) / DAY_S);
  const validity = `${identity}, valid for ${days} days`;
  const isLate = days < SOON_DAYS;
  return {
    value,
    findings: [isLate ? note(subject, validity, "Renew the node's certificate") : ok(subject, validity)],
  };
}

/** The node's resources and the other files of the settings. */
export async function checkFiles(settings: Settings): Promise<Checked<NodeResources>> {
  const resources = await finding("resources", () => openResources(settings));
  const restJson = await finding("rest.json", () => readRestJson(settings));
  const tls = await finding("TLS certificate", () => {
    const files = findTlsFiles(settings);
    if (files) checkTlsFiles(files);
    return files;
  });
  const read: Finding[] = [
    ...(resources.value === undefined ? [] : [ok("resources", `read from ${resources.value}`)]),
    ...(settings.REST_JSON === undefined || !restJson.value
      ? []
      : [ok("rest.json", `read from ${settings.REST_JSON}`)]),
    ...(tls.value ? [ok("TLS certificate", `read from ${tls.value.certificateFile}`)] : []),
  ];
  return {
    findings: [...resources.findings, ...restJson.findings, ...tls.findings, ...read],
    value: resources.value === undefined ? undefined : new NodeResources(resources.value),
  };
}

/** Whether the ports are free, or in use by this program. */
export async function checkPorts(settings: Settings): Promise<readonly Finding[]> {
  const { PORT: port, HOST: host, INDEXER_METRICS_PORT: metrics } = settings;
  const internal = await finding("ports", () => parseInternalPort(settings));
  const others = await Promise.all([
    checkOne("PORT", { host, port }, settings, "/asyncapi.json"),
    ...(internal.value ? [checkOne("INTERNAL_PORT", internal.value, settings, "/asyncapi.json")] : []),
    ...(metrics ? [checkOne("INDEXER_METRICS_PORT", metrics, undefined, "/metrics")] : []),
  ]);
  return [...internal.findings, ...others];
}

/** @param path that this program alone answers with its name */
async function checkOne(
  setting: string,
  address: HostAndPort,
  tls: Pick<Settings, "TLS_CERTIFICATE_FILE"> | undefined,
  path: string,
): Promise<Finding> {
  const { host, port } = address;
  const subject = `port ${port}`;
  const { findings } = await finding(subject, () => checkPort(host, port, setting));
  if (findings.length === 0) return ok(subject, `free for ${setting}`);
  const url = makeGatewayUrl({ HOST: host, PORT: port, TLS_CERTIFICATE_FILE: tls?.TLS_CERTIFICATE_FILE });
  return (await isOurs(url + path)) ? ok(subject, `a symbol-gateway runs there (${setting})`) : findings[0]!;
}

async function isOurs(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok && /symbol[-_]/.test(await response.text());
  } catch {
    return false;
  }
}

/** The broker of CATAPULT_ZMQ. */
export async function checkBroker({ CATAPULT_ZMQ: url }: Settings): Promise<Finding> {
  const subject = "ZeroMQ";
  if (url === undefined) {
    return note(
      subject,
      "CATAPULT_ZMQ is not set: rejections by the node have no reason",
      "Set it if its broker publishes",
    );
  }
  const { hostname, port } = new URL(url);
  const problem = await reach({ host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) });
  const advice = "Check CATAPULT_ZMQ, and subscriberPort and listenInterface in the node's config-messaging.properties";
  if (problem) return wrong(subject, `${url} cannot be reached: ${problem}`, advice);
  return (await greets(url))
    ? ok(subject, `connected to ${url}`)
    : wrong(subject, `${url} is no publisher of ZeroMQ`, advice);
}

/** The driver is native code: it is loaded only if needed. */
async function greets(url: string): Promise<boolean> {
  const { BrokerSubscriber } = await import("../../catapult/wire/zmq.js");
  let resolve: (isPublisher: boolean) => void = () => undefined;
  const greeted = new Promise<boolean>((settle) => {
    resolve = settle;
  });
  const subscriber = new BrokerSubscriber({
    url,
    log: pino({ level: "silent" }),
    onMessage: () => undefined,
    onConnected: () => resolve(true),
  });
  const timer = setTimeout(resolve, TIMEOUT_MS, false);
  try {
    return await greeted;
  } finally {
    clearTimeout(timer);
    await subscriber.close();
  }
}
