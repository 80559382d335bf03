/** Invalid certificates, our own (the message names the file) or those of the peer. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}
