import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { mock } from "node:test";
import { connect as tlsConnect } from "node:tls";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createCredentials, type NodeCredentials, tlsOptions } from "../../catapult/certificate/certificate.js";
import { writeCertificate } from "../../catapult/certificate/x509.js";
import { NodeConnection } from "../../catapult/wire/connection.js";
import { PeerCertificateError } from "../../catapult/wire/errors.js";
import { encodePacket } from "../../catapult/wire/packet.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { Closing, clientCredentials, rejection } from "../support/connection-fixtures.js";
import { until } from "../support/until.js";

const A = PacketType.pullBlocks;

const closing = new Closing();
afterEach(() => closing.closeAll());

describe("the other side's certificates", () => {
  const validity = { notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + 86_400_000) };

  function pem(key: KeyObject): string {
    return key.export({ format: "pem", type: "pkcs8" }).toString();
  }

  /** A chain with `depth` authorities above the node's certificate. */
  function chainOf(depth: number, times = validity): NodeCredentials {
    let issuerKey = generateKeyPairSync("ed25519").privateKey;
    let issuer = "authority 0";
    const root = { subject: issuer, issuer, subjectKey: issuerKey, issuerKey, isAuthority: true, ...validity };
    const certificates = [writeCertificate(root)];
    for (let level = 1; level <= depth; level++) {
      const subjectKey = generateKeyPairSync("ed25519").privateKey;
      const subject = level === depth ? "node" : `authority ${level}`;
      const isAuthority = level < depth;
      certificates.unshift(writeCertificate({ subject, issuer, subjectKey, issuerKey, isAuthority, ...times }));
      issuerKey = subjectKey;
      issuer = subject;
    }
    return {
      caCertificatePem: certificates.at(-1)!,
      certificatePem: certificates.join(""),
      privateKeyPem: pem(issuerKey),
    };
  }

  /** A node certificate that names the CA beside it as its issuer, but was signed by another key. */
  function forged(): NodeCredentials {
    const victim = createCredentials({ commonName: "victim" });
    const key = generateKeyPairSync("ed25519").privateKey;
    const leaf = {
      subject: "node",
      issuer: "victim CA",
      subjectKey: key,
      issuerKey: key,
      isAuthority: false,
      ...validity,
    };
    return {
      caCertificatePem: victim.caCertificatePem,
      certificatePem: writeCertificate(leaf) + victim.caCertificatePem,
      privateKeyPem: pem(key),
    };
  }

  const good = chainOf(1);
  const expired = chainOf(1, { notBefore: new Date("2020-01-01"), notAfter: new Date("2021-01-01") });
  const future = chainOf(1, { notBefore: new Date("2200-01-01"), notAfter: new Date("2201-01-01") });
  const [leafOnly = ""] = good.certificatePem.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----\n/) ?? [];

  const bad: [string, NodeCredentials, string][] = [
    ["a self-signed certificate alone", chainOf(0), "expected a chain of two certificates, received 1"],
    ["a node certificate without its CA", { ...good, certificatePem: leafOnly }, "two certificates, received 1"],
    ["three certificates", chainOf(2), "expected a chain of two certificates, received more"],
    ["an expired certificate", expired, "the node certificate expired on Jan  1 00:00:00 2021 GMT"],
    ["a certificate of the future", future, "the node certificate is not valid before"],
    ["a certificate signed by another key", forged(), "two certificates, received 1"],
  ];

  test("of two Ed25519 levels are accepted", async () => {
    const server = await closing.serve([[A, () => Buffer.from("yes")]], { credentials: chainOf(1) });
    const connection = await closing.connectTo(server, { credentials: good });
    expect((await connection.request(A)).toString()).toBe("yes");
  });

  test.each(bad)("%s of a node is rejected", async (_, credentials, reason) => {
    const server = await closing.serve([[A, () => Buffer.alloc(0)]], { credentials });
    const error = await rejection(closing.connectTo(server));
    expect(error).toBeInstanceOf(PeerCertificateError);
    expect(error.message).toContain(`node ${server.address().host}:${server.address().port}: certificates rejected`);
    expect(error.message).toContain(reason);
  });

  test.each(bad)("%s of a client is rejected, and nothing is answered", async (_, credentials) => {
    const handler = mock.fn(() => Buffer.alloc(0));
    const server = await closing.serve([[A, handler]]);
    const rejected = NodeConnection.connect({ ...server.address(), credentials }).then((connection) =>
      connection.request(A),
    );
    await rejection(rejected);
    expect(handler.mock.callCount()).toBe(0);
    await until(() => server.connectionCount === 0, "the server closed the connection");
  });

  test("a client without any is rejected, and nothing is answered", async () => {
    const handler = mock.fn(() => Buffer.alloc(0));
    const server = await closing.serve([[A, handler]]);
    const { cert: _cert, key: _key, ...withoutCertificate } = tlsOptions(clientCredentials);
    const socket = tlsConnect({ ...server.address(), ...withoutCertificate });
    socket.on("error", () => undefined).on("secureConnect", () => socket.write(encodePacket(A)));
    await once(socket, "close");
    expect(handler.mock.callCount()).toBe(0);
  });

  test("nothing below TLS 1.3 is accepted", async () => {
    const tls12 = tlsConnect({
      ...(await closing.serve([])).address(),
      maxVersion: "TLSv1.2",
      rejectUnauthorized: false,
    });
    const [error] = (await once(tls12, "error")) as [Error];
    expect(error.message).toMatch(/alert protocol version/);
  });
});
