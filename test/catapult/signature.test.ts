import { createHash, verify } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { ed25519 } from "@noble/curves/ed25519.js";
import { derivePublicKey, signData, verifySignature, verifySignatureAside } from "../../catapult/crypto/signature.js";

const privateKey = createHash("sha256").update("a signer").digest();
const publicKey = derivePublicKey(privateKey);
const data = Buffer.from("what is signed");

/** Signs with the nonce 0; the point is then the neutral one, which has two encodings. */
function signWithoutNonce(point: Buffer): Buffer {
  const { scalar } = ed25519.utils.getExtendedPublicKey(privateKey);
  const digest = createHash("sha512").update(point).update(publicKey).update(data).digest();
  const factor = BigInt(`0x${Buffer.from(digest).reverse().toString("hex")}`);
  const product = (factor * scalar) % ed25519.Point.Fn.ORDER;
  return Buffer.concat([point, Buffer.from(product.toString(16).padStart(64, "0"), "hex").reverse()]);
}

/** Both ways of verifying say the same. */
async function isValid(...signed: Parameters<typeof verifySignature>): Promise<boolean> {
  const valid = verifySignature(...signed);
  expect(await verifySignatureAside(...signed)).toBe(valid);
  return valid;
}

describe("signatures", () => {
  test("are accepted if they are valid, and not if anything is changed", async () => {
    const signature = signData(privateKey, data);
    expect(await isValid(publicKey, data, signature)).toBe(true);
    for (const offset of [0, 31, 32, 63]) {
      const changed = Buffer.from(signature);
      changed[offset]! ^= 1;
      expect(await isValid(publicKey, data, changed)).toBe(false);
    }
    expect(await isValid(Buffer.alloc(32), data, signature)).toBe(false);
    expect(await isValid(publicKey, data, signature.subarray(1))).toBe(false);
  });

  test("by the key of zeros, a point of order four that signs every fourth text, are not accepted", async () => {
    const neutral = Buffer.alloc(64);
    neutral[0] = 1;
    for (let text = 0; text < 32; ++text) {
      expect(await isValid(Buffer.alloc(32), Buffer.of(text), neutral)).toBe(false);
    }
  });

  test("with the neutral point are accepted as nodes do in batches, in either encoding", async () => {
    const neutral = Buffer.alloc(32);
    neutral[0] = 1;
    const odd = Buffer.from(neutral);
    odd[31] = 0x80;
    expect(await isValid(publicKey, data, signWithoutNonce(neutral))).toBe(true);
    const signature = signWithoutNonce(odd);
    const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), publicKey]);
    expect(verify(null, data, { key: spki, format: "der", type: "spki" }, signature)).toBe(false);
    expect(await isValid(publicKey, data, signature)).toBe(true);
    expect(await isValid(publicKey, Buffer.from("something else"), signature)).toBe(false);
    const tooLarge = Buffer.concat([odd, Buffer.alloc(32, 0xff)]);
    expect(await isValid(publicKey, data, tooLarge)).toBe(false);
  });
});
