import { describe, expect, test } from "@jest/globals";
import { derivePublicKey } from "../../catapult/crypto/signature.js";
import { generateVrfProof, type VrfProof, verifyVrfProof, vrfProofHash } from "../../catapult/crypto/vrf.js";
import { forgedVrfProof } from "../support/forged-vrf-proof.js";

function bytes(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}

/** Source: draft-irtf-cfrg-vrf-04, appendix A.3, ECVRF-ED25519-SHA512-TAI. */
const DRAFT_VECTORS = [
  {
    privateKey: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    alpha: "",
    proof:
      "9275df67a68c8745c0ff97b48201ee6db447f7c93b23ae24cdc2400f52fdb08a1a6ac7ec71bf9c9c76e96ee4675ebff60625af28718501047bfd87b810c2d2139b73c23bd69de66360953a642c2a330a",
    value:
      "a64c292ec45f6b252828aff9a02a0fe88d2fcc7f5fc61bb328f03f4c6c0657a9d26efb23b87647ff54f71cd51a6fa4c4e31661d8f72b41ff00ac4d2eec2ea7b3",
  },
  {
    privateKey: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    alpha: "72",
    proof:
      "84a63e74eca8fdd64e9972dcda1c6f33d03ce3cd4d333fd6cc789db12b5a7b9d03f1cb6b2bf7cd81a2a20bacf6e1c04e59f2fa16d9119c73a45a97194b504fb9a5c8cf37f6da85e03368d6882e511008",
    value:
      "cddaa399bb9c56d3be15792e43a6742fb72b1d248a7f24fd5cc585b232c26c934711393b4d97284b2bcca588775b72dc0b0f4b5a195bc41f8d2b80b6981c784e",
  },
] as const;

function proofOf(hex: string): VrfProof {
  const all = bytes(hex);
  return { gamma: all.subarray(0, 32), verificationHash: all.subarray(32, 48), scalar: all.subarray(48) };
}

describe("VRF proofs", () => {
  test.each(DRAFT_VECTORS)("equal those of the draft for $alpha", ({ privateKey, alpha, proof, value }) => {
    const generated = generateVrfProof(bytes(alpha), bytes(privateKey));
    expect(Buffer.concat([generated.gamma, generated.verificationHash, generated.scalar]).toString("hex")).toBe(proof);
    expect(vrfProofHash(generated.gamma).toString("hex")).toBe(value);
    expect(verifyVrfProof(proofOf(proof), bytes(alpha), derivePublicKey(bytes(privateKey)))?.toString("hex")).toBe(
      value,
    );
  });

  test("are invalid for another input, key, or proof", () => {
    const privateKey = Buffer.alloc(32, 3);
    const publicKey = derivePublicKey(privateKey);
    const alpha = Buffer.alloc(32, 4);
    const proof = generateVrfProof(alpha, privateKey);
    const flip = (buffer: Buffer) => Buffer.concat([Buffer.of(buffer[0]! ^ 1), buffer.subarray(1)]);
    expect(verifyVrfProof(proof, alpha, publicKey)).toEqual(vrfProofHash(proof.gamma));
    expect(verifyVrfProof(proof, flip(alpha), publicKey)).toBeUndefined();
    expect(verifyVrfProof(proof, alpha, derivePublicKey(Buffer.alloc(32, 5)))).toBeUndefined();
    for (const part of ["gamma", "verificationHash", "scalar"] as const) {
      expect(verifyVrfProof({ ...proof, [part]: flip(proof[part]) }, alpha, publicKey)).toBeUndefined();
      expect(
        verifyVrfProof({ ...proof, [part]: Buffer.alloc(proof[part].length, 0xff) }, alpha, publicKey),
      ).toBeUndefined();
      expect(verifyVrfProof({ ...proof, [part]: Buffer.alloc(0) }, alpha, publicKey)).toBeUndefined();
    }
    expect(verifyVrfProof(proof, alpha, Buffer.alloc(32))).toBeUndefined();
    expect(verifyVrfProof(proof, alpha, Buffer.alloc(0))).toBeUndefined();
  });
});

describe("a public key that is no point of the main subgroup", () => {
  const alpha = Buffer.alloc(32, 4);
  const notOnCurve = Buffer.concat([Buffer.of(2), Buffer.alloc(31)]);

  test.each([
    ["the zeros of an account without a key", Buffer.alloc(32)],
    ["32 bytes that are no point", notOnCurve],
  ])("%s: its forged proofs are valid only if keys are not checked", (_what, publicKey) => {
    const values = [7n, 8n].map((choice) => {
      const proof = forgedVrfProof(alpha, publicKey, choice);
      expect(verifyVrfProof(proof, alpha, publicKey)).toBeUndefined();
      expect(verifyVrfProof(proof, alpha, publicKey, "strict")).toBeUndefined();
      expect(verifyVrfProof(proof, Buffer.alloc(32, 5), publicKey, "lenient")).toBeUndefined();
      return verifyVrfProof(proof, alpha, publicKey, "lenient")?.toString("hex");
    });
    expect(values).toEqual([expect.any(String), expect.any(String)]);
    expect(values[0]).not.toBe(values[1]);
  });

  test("a valid proof is valid either way", () => {
    const privateKey = Buffer.alloc(32, 3);
    const proof = generateVrfProof(alpha, privateKey);
    for (const keyCheck of ["strict", "lenient"] as const) {
      expect(verifyVrfProof(proof, alpha, derivePublicKey(privateKey), keyCheck)).toEqual(vrfProofHash(proof.gamma));
      expect(verifyVrfProof(proof, alpha, derivePublicKey(Buffer.alloc(32, 6)), keyCheck)).toBeUndefined();
    }
  });
});
