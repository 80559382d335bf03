import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { inUrl, makeGatewayUrl } from "../development/gateway-url.js";
import { UsageError } from "../process/usage-error.js";
import type { HostAndPort } from "../settings/setting-kinds.js";
import type { Settings } from "../settings/settings.js";
import type { Command } from "./command.js";

const TIMEOUT_MS = 5_000;
const INDEXER = "indexer";

/** `symbol-gateway health`, for what supervises containers. */
export const healthCommand: Command = {
  description:
    "Asks the gateway that runs on this machine with these settings for /ready, or the indexer for /metrics, and prints\n" +
    "one line. Exit code 0 if it responds with 200, 1 otherwise.",
  settings: ["PORT", "HOST", "INTERNAL_PORT", "TLS_CERTIFICATE_FILE", "INDEXER_METRICS_PORT"],
  finds: ["gateway"],
  operands: [
    { name: "part", description: "which part; the gateway if absent", words: ["gateway", INDEXER], isOptional: true },
  ],
  async run(settings, { part }) {
    const url = part === INDEXER ? indexerUrlOf(settings) : readyUrlOf(settings);
    const { isHealthy, sentence } = await ask(url);
    process.stdout.write(`${sentence}\n`);
    return isHealthy ? 0 : 1;
  },
};

function readyUrlOf(settings: Settings): string {
  const { INTERNAL_PORT: internal } = settings;
  const address = internal ? { HOST: internal.host, PORT: internal.port } : {};
  return `${makeGatewayUrl({ ...settings, ...address })}/ready`;
}

function indexerUrlOf({ INDEXER_METRICS_PORT: address }: Settings): string {
  if (!address) throw new UsageError("INDEXER_METRICS_PORT is not set: an indexer without it cannot be asked.");
  return `http://${hostOf(address)}:${address.port}/metrics`;
}

function hostOf({ host }: HostAndPort): string {
  return host === "0.0.0.0" || host === "::" ? "localhost" : inUrl(host);
}

interface Health {
  readonly isHealthy: boolean;
  readonly sentence: string;
}

/** The certificate is for the names by which clients reach the gateway, so it is not checked here. */
function ask(url: string): Promise<Health> {
  return new Promise((resolve) => {
    const fail = (reason: string) => resolve({ isHealthy: false, sentence: `${url} does not respond: ${reason}.` });
    const options = { signal: AbortSignal.timeout(TIMEOUT_MS), rejectUnauthorized: false };
    const request = url.startsWith("https:") ? httpsRequest : httpRequest;
    const sent = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("error", (error) => fail(error.message));
      response.on("end", () => {
        const { statusCode } = response;
        const isHealthy = statusCode === 200;
        const reason = isHealthy ? "" : `: ${messageIn(text)}`;
        resolve({ isHealthy, sentence: `${url} responds with ${statusCode}${reason}.` });
      });
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      fail(error.name === "AbortError" ? `within ${TIMEOUT_MS} ms` : error.message || (error.code ?? error.name));
    });
    sent.end();
  });
}

function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly message?: unknown }).message);
  } catch {
    return text.slice(0, 200).trim();
  }
}
