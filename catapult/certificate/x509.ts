import { createHash, type KeyObject, randomBytes, sign } from "node:crypto";
import { rawPublicKey } from "./certificate-chain.js";
import {
  der,
  derBitString,
  derExplicit,
  derInteger,
  derObjectIdentifier,
  derOctetString,
  derSequence,
  derSet,
  derTime,
  derTrue,
  derUtf8String,
} from "./der.js";

const ED25519 = derSequence(derObjectIdentifier("1.3.101.112"));
const VERSION_3 = derExplicit(0, derInteger(Buffer.from([2])));

const BASIC_CONSTRAINTS = "2.5.29.19";
const KEY_USAGE = "2.5.29.15";
const SUBJECT_KEY_IDENTIFIER = "2.5.29.14";
const AUTHORITY_KEY_IDENTIFIER = "2.5.29.35";

/** An authority, whose key signs certificates (bit 5 of the key usage). */
const AUTHORITY_EXTENSIONS = [
  extension(BASIC_CONSTRAINTS, derSequence(derTrue()), true),
  extension(KEY_USAGE, der(0x03, Buffer.from([2, 0b0000_0100])), true),
];

/** What goes into a certificate of {@link writeCertificate}. */
export interface CertificateContent {
  readonly subject: string;
  readonly issuer: string;
  readonly subjectKey: KeyObject;
  /** Ed25519 private key of the issuer. */
  readonly issuerKey: KeyObject;
  readonly isAuthority: boolean;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * Writes a signed Ed25519 certificate of version 3 (RFC 5280, RFC 8410) with common names, basic constraints and key
 * identifiers, as PEM. Node's own crypto reads certificates but writes none.
 */
export function writeCertificate(content: CertificateContent): string {
  const body = derSequence(
    VERSION_3,
    derInteger(randomBytes(16)),
    ED25519,
    commonName(content.issuer),
    derSequence(derTime(content.notBefore), derTime(content.notAfter)),
    commonName(content.subject),
    publicKeyInfo(content.subjectKey),
    derExplicit(
      3,
      derSequence(
        ...(content.isAuthority ? AUTHORITY_EXTENSIONS : [extension(BASIC_CONSTRAINTS, derSequence())]),
        extension(SUBJECT_KEY_IDENTIFIER, derOctetString(keyIdentifier(content.subjectKey))),
        extension(AUTHORITY_KEY_IDENTIFIER, derSequence(der(0x80, keyIdentifier(content.issuerKey)))),
      ),
    ),
  );
  const certificate = derSequence(body, ED25519, derBitString(sign(null, body, content.issuerKey)));
  const lines = certificate.toString("base64").replace(/.{64}(?!$)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function publicKeyInfo(key: KeyObject): Buffer {
  return derSequence(ED25519, derBitString(rawPublicKey(key)));
}

/** Hash of the key's bits, as RFC 5280 (4.2.1.2) suggests. */
function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1").update(rawPublicKey(key)).digest();
}

function commonName(name: string): Buffer {
  return derSequence(derSet(derSequence(derObjectIdentifier("2.5.4.3"), derUtf8String(name))));
}

function extension(identifier: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [derTrue()] : [];
  return derSequence(derObjectIdentifier(identifier), ...critical, derOctetString(value));
}
