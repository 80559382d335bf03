import { setTraceFields } from "../parts/log.js";
import { UsageError } from "../process/usage-error.js";
import { programVersion } from "../process/version.js";
import type { Settings } from "../settings/settings.js";
import type { Tracing } from "./tracing.js";

/**
 * Starts to trace, if a collector is configured; its modules are loaded only then. Logs that are created later name the
 * trace in each line.
 * @throws UsageError when the collector's URL is invalid
 */
export async function startTracing(
  settings: Pick<Settings, "OTEL_EXPORTER_OTLP_ENDPOINT" | "TRUSTED_PROXIES">,
): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRUSTED_PROXIES: trustedProxies = [] } = settings;
  if (endpoint === undefined) return undefined;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) {
    throw new UsageError(`OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://localhost:4318, not ${endpoint}.`);
  }
  const { Tracing } = await import("./tracing.js");
  const tracing = new Tracing({ endpoint, version: programVersion(), trustedProxies });
  setTraceFields(tracing.logFields);
  return tracing;
}
