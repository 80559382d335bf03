import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { readRestJson } from "../../cli/parts/rest-json.js";
import { UsageError } from "../../cli/process/usage-error.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();
const file = path.join(folder, "rest.json");
function read(content: unknown) {
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return readRestJson({ REST_JSON: file });
}

describe("rest.json", () => {
  test("gives what has no setting of its own; the rest of the file is ignored", () => {
    expect(readRestJson({ REST_JSON: undefined })).toEqual({});
    const deployment = { deploymentTool: "shoestring", deploymentToolVersion: "alpha", lastUpdatedDate: "n/a" };
    expect(
      read({
        network: { name: "testnet" },
        port: 3000,
        uncirculatingAccountPublicKeys: ["0A".repeat(32)],
        db: { url: "mongodb://db:27017/" },
        throttling: { burst: 80, rate: 60 },
        deployment,
        nodeMetadata: { _info: "mine" },
        metal: { cacheTtl: 300 },
      }),
    ).toEqual({
      uncirculatingPublicKeys: [Buffer.alloc(32, 0x0a)],
      nodeMetadata: { _info: "mine" },
      deployment,
      rateLimit: { perSecond: 60, burst: 80 },
    });
    // That of a light node.
    expect(read({ deployment: { deploymentTool: "shoestring" } }).deployment).toEqual({
      deploymentTool: "shoestring",
      deploymentToolVersion: "N/A",
      lastUpdatedDate: "N/A",
    });
  });

  test.each([
    ["not JSON", "{", `REST_JSON: ${file} is not JSON.`],
    ["a list", [], `REST_JSON: ${file}: Invalid input: expected object, received array.`],
    [
      "with an invalid key",
      { uncirculatingAccountPublicKeys: ["00".repeat(32), "0g"] },
      `REST_JSON: ${file}: uncirculatingAccountPublicKeys.1: expected 64 hex digits.`,
    ],
    ["a rate below 0", { throttling: { rate: -1, burst: 1 } }, /^REST_JSON: .*: throttling\.rate: /],
  ])("%s is an error that names it", (_name, content, message) => {
    expect(() => read(content)).toThrow(UsageError);
    expect(() => read(content)).toThrow(message);
  });

  test("that is not there is an error that says where", () => {
    const missing = path.join(folder, "userconfig", "rest.json");
    const message = `REST_JSON: ENOENT: ${path.dirname(missing)} does not exist.`;
    expect(() => readRestJson({ REST_JSON: missing })).toThrow(message);
  });
});
