/** Certificates that cannot be used, our own (the message names the file) or those of the other side. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}
