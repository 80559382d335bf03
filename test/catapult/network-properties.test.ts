import { describe, expect, test } from "@jest/globals";
import { networkName, Properties } from "../../catapult/network/properties.js";

const identifierIn = (value: string) =>
  new Properties(`[network]\nidentifier = ${value}`).section("network").networkIdentifier("identifier");

describe("the identifier of a network", () => {
  test.each([
    ["mainnet", 0x68],
    ["testnet", 0x98],
    ["168", 0xa8],
    ["96", 96],
  ])("%s", (value, identifier) => {
    expect(identifierIn(value)).toBe(identifier);
    expect(identifierIn(networkName(identifier))).toBe(identifier);
  });

  test.each(["256", "-1", "0x68", "main", ""])("not %j", (value) => {
    expect(() => identifierIn(value)).toThrow("[network] identifier: expected mainnet, testnet");
  });
});
