import { describe, expect, test } from "@jest/globals";
import { PublicKey } from "symbol-sdk";
import { Address, Network } from "symbol-sdk/symbol";
import {
  addressOfPublicKey,
  decodeAddress,
  decodeNamespaceId,
  decodeUnresolvedAddress,
  encodeAddress,
  encodeAliasAddress,
  isAliasAddress,
  isValidAddress,
  readBase32,
} from "../../catapult/entity/address.js";

describe("addresses", () => {
  const publicKey = Buffer.from("C5FB65CCA902623458ED3F5B5FFAEC7A0DEC3DD2FC31F56FA1E6E9D1E2C9C38E", "hex");

  test("equal those that the client library derives", () => {
    for (const network of [Network.MAINNET, Network.TESTNET]) {
      const expected = network.publicKeyToAddress(new PublicKey(publicKey));
      const address = addressOfPublicKey(publicKey, network.identifier);
      expect(address).toEqual(Buffer.from(expected.bytes));
      expect(encodeAddress(address)).toBe(expected.toString());
      expect(decodeAddress(expected.toString(), network.identifier)).toEqual(address);
      expect(isValidAddress(address)).toBe(true);
      expect(isAliasAddress(address)).toBe(false);
    }
  });

  const text = encodeAddress(addressOfPublicKey(publicKey, 152));

  test.each([
    ["a wrong checksum", text.replace(/.$/, text.endsWith("A") ? "I" : "A"), /checksum|after/],
    ["too few characters", text.slice(1), /38 characters instead of 39/],
    ["too many characters", `${text}A`, /40 characters/],
    ["small letters", text.toLowerCase(), /base32/],
    ["a digit that base32 has not", text.replace(/^./, "1"), /'1'/],
    ["bits after the address", text.replace(/.$/, "B"), /bits after/],
    ["no characters", "", /0 characters/],
  ])("with %s are rejected", (_name, wrong, message) => {
    expect(() => decodeAddress(wrong, 152)).toThrow(message);
  });

  test("can be read without verification, as the client library reads them", () => {
    for (const unverified of [text, text.replace(/.$/, "B"), text.replace(/^./, "7"), "Q".repeat(39)]) {
      expect(readBase32(unverified).address).toEqual(Buffer.from(new Address(unverified).bytes));
    }
    expect(() => readBase32(text.slice(1))).toThrow(/38 characters/);
  });

  test("of another network are rejected", () => {
    expect(() => decodeAddress(text, 104)).toThrow(/network 152 instead of 104/);
  });

  test("can be aliases of namespaces", () => {
    const alias = encodeAliasAddress(0xe74b99ba41f4afeen, 152);
    expect(alias.toString("hex").toUpperCase()).toBe("99EEAFF441BA994BE7000000000000000000000000000000");
    expect(isAliasAddress(alias)).toBe(true);
    expect(decodeNamespaceId(alias)).toBe(0xe74b99ba41f4afeen);
    expect(() => decodeAddress(encodeAddress(alias), 152)).toThrow(/checksum/);
    expect(decodeUnresolvedAddress(encodeAddress(alias), 152)).toEqual(alias);
    expect(decodeUnresolvedAddress(text, 152)).toEqual(addressOfPublicKey(publicKey, 152));
    expect(() => decodeUnresolvedAddress(encodeAddress(alias), 104)).toThrow(/checksum/);
    expect(() => decodeNamespaceId(addressOfPublicKey(publicKey, 152))).toThrow(/not a namespace/);
  });

  test("must have 24 bytes to be encoded", () => {
    expect(() => encodeAddress(Buffer.alloc(23))).toThrow(/23 bytes/);
  });
});
