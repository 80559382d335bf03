import pg from "pg";
import type { SilenceLimit } from "./binary/silence.js";

/** After this silence, a server without a statement timeout is probed on a new connection, in ms. */
const PROBE_AFTER_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * The silence limit of a server without a statement timeout: it counts as silent if a new connection gets no response
 * either.
 * @param afterMs time of silence before it is probed, in ms
 */
export function probing(url: string, afterMs = PROBE_AFTER_MS): SilenceLimit {
  return { afterMs, isServerAlive: () => isServerAlive(url) };
}

async function isServerAlive(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "symbol-gateway probe",
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}
