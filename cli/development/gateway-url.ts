import type { Settings } from "../settings/settings.js";

/** Where a gateway with these settings is reached from this machine, without a slash at the end. */
export function gatewayUrlOf({
  HOST: host,
  PORT: port,
  TLS_CERTIFICATE_FILE: certificateFile,
}: Pick<Settings, "HOST" | "PORT" | "TLS_CERTIFICATE_FILE">): string {
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const name = isAnyAddress ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http${certificateFile === undefined ? "" : "s"}://${name}:${port}`;
}
