import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { CertificateError } from "./der.js";

const CHAIN_SIZE = 2;

/**
 * Checks the peer's certificates by the reference node's rule (`CatapultCertificateProcessor`): exactly two, Ed25519,
 * within their validity period, the first signed by the second and the second by itself.
 * @returns the main public key of the peer (32 bytes): its identity
 * @throws CertificateError with the reason
 */
export function publicKeyOfPeer(socket: TLSSocket): Buffer {
  const leaf = socket.getPeerCertificate(true);
  // Without a certificate, Node returns an empty object.
  if (!leaf?.raw) throw new CertificateError("the peer sent no certificate");
  const chain: X509Certificate[] = [];
  let current: DetailedPeerCertificate | undefined = leaf;
  while (current && chain.length <= CHAIN_SIZE) {
    chain.push(new X509Certificate(current.raw));
    // Node returns a self-signed certificate as its own issuer, and none if the issuer was not sent.
    current = current.issuerCertificate === current ? undefined : current.issuerCertificate;
  }
  return verifyCertificateChain(chain);
}

/** The key (32 bytes) of the peer's first certificate: a node's own key, not its main one. */
export function nodeKeyOfPeer(socket: TLSSocket): Buffer {
  return rawPublicKey(new X509Certificate(socket.getPeerCertificate().raw).publicKey);
}

/**
 * Checks a chain as described at {@link publicKeyOfPeer}, the node's certificate first.
 * @returns the main public key, 32 bytes
 * @throws CertificateError with the reason
 */
export function verifyCertificateChain(chain: readonly X509Certificate[]): Buffer {
  const [node, authority] = chain;
  if (!node || !authority || chain.length !== CHAIN_SIZE) {
    throw new CertificateError(
      `expected a chain of two certificates, received ${chain.length > CHAIN_SIZE ? "more" : chain.length}`,
    );
  }
  for (const [name, certificate] of [
    ["node", node],
    ["CA", authority],
  ] as const) {
    if (certificate.publicKey.asymmetricKeyType !== "ed25519") {
      throw new CertificateError(`the ${name} certificate has no Ed25519 key`);
    }
    if (Date.now() < Date.parse(certificate.validFrom)) {
      throw new CertificateError(`the ${name} certificate is not valid before ${certificate.validFrom}`);
    }
    if (Date.now() > Date.parse(certificate.validTo)) {
      throw new CertificateError(`the ${name} certificate expired on ${certificate.validTo}`);
    }
  }
  if (!authority.checkIssued(authority) || !authority.verify(authority.publicKey)) {
    throw new CertificateError("the CA certificate is not signed by itself");
  }
  if (!node.checkIssued(authority) || !node.verify(authority.publicKey)) {
    throw new CertificateError("the node certificate is not signed by the CA certificate");
  }
  return rawPublicKey(authority.publicKey);
}

/** The 32 bytes of an Ed25519 public key, or of the public key of a private one. */
export function rawPublicKey(key: KeyObject): Buffer {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return publicKey.export({ format: "der", type: "spki" }).subarray(-32);
}

/** Unix seconds at which the first certificate of a chain expires. @param pem of the chain */
export function readExpiry(pem: string | Buffer): number {
  return Date.parse(new X509Certificate(pem).validTo) / 1_000;
}
