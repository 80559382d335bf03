import { writeFileSync } from "node:fs";
import path from "node:path";
import { createCredentials } from "../../catapult/certificate/certificate.js";

/** Writes a new certificate and its key into a folder. @returns the settings of a gateway that uses them */
export function tlsFiles(folder: string): Record<string, string> {
  const { certificatePem, privateKeyPem } = createCredentials({ commonName: "localhost" });
  const [certificate, key] = [path.join(folder, "certificate.pem"), path.join(folder, "key.pem")];
  writeFileSync(certificate, certificatePem);
  writeFileSync(key, privateKeyPem);
  return { TLS_CERTIFICATE_FILE: certificate, TLS_KEY_FILE: key };
}
