import { readFileSync } from "node:fs";
import { z } from "zod";
import { describeFileError } from "../../catapult/files/file-error.js";
import type { GatewayOptions } from "../../gateway/server.js";
import { UsageError } from "../process/usage-error.js";
import type { Settings } from "../settings/settings.js";

const publicKey = z
  .string()
  .regex(/^[0-9A-Fa-f]{64}$/, "expected 64 hex digits")
  .transform((text) => Buffer.from(text, "hex"));

/** The members of catapult-rest's `rest.json` that a gateway uses; all others are for settings, or have no meaning here. */
const RestJson = z.object({
  uncirculatingAccountPublicKeys: z.array(publicKey).optional(),
  nodeMetadata: z.record(z.string(), z.unknown()).optional(),
  deployment: z
    .object({
      deploymentTool: z.string().default("N/A"),
      deploymentToolVersion: z.string().default("N/A"),
      lastUpdatedDate: z.string().default("N/A"),
    })
    .optional(),
  throttling: z.object({ rate: z.number().positive(), burst: z.number().positive() }).optional(),
});

type RestOptions = Pick<GatewayOptions, "uncirculatingPublicKeys" | "nodeMetadata" | "deployment" | "rateLimit">;

/**
 * What `REST_JSON`, the file of a catapult-rest, says of the gateway; nothing without the setting. It is read once.
 * @throws UsageError when the file cannot be read or is invalid
 */
export function readRestJson({ REST_JSON: file }: Pick<Settings, "REST_JSON">): RestOptions {
  if (file === undefined) return {};
  const reject = (problem: string, cause: unknown) => new UsageError(`REST_JSON: ${problem}.`, { cause });
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw reject(describeFileError(error), error);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw reject(`${file} is not JSON`, error);
  }
  const { data, error } = RestJson.safeParse(content);
  if (!data) {
    const { path, message } = error.issues[0]!;
    throw reject(`${file}: ${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`, error);
  }
  const { uncirculatingAccountPublicKeys, nodeMetadata, deployment, throttling } = data;
  return {
    uncirculatingPublicKeys: uncirculatingAccountPublicKeys,
    nodeMetadata,
    deployment,
    rateLimit: throttling && { perSecond: throttling.rate, burst: throttling.burst },
  };
}
