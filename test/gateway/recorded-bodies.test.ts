import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeRecorded } from "../support/describe-chains.js";
import { type BodyHashes, differingPaths, hashBodies } from "../support/recorded-bodies.js";
import { recordedRequests } from "../support/recorded-requests.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";

describeRecorded("REST bodies of the recorded chain", (chain) => {
  const snapshot = JSON.parse(gunzipSync(readFileSync(chain.path("rest-bodies.json.gz"))).toString()) as BodyHashes;
  const groups = recordedRequests(chain);
  let served: RecordedStateGateway;

  beforeAll(async () => {
    served = await RecordedStateGateway.start(chain);
  });

  afterAll(() => served?.close());

  test("are byte for byte those served when documents were stored", async () => {
    expect(groups.flatMap(({ paths }) => paths).length).toBeGreaterThan(3_000);
    const hashes = await hashBodies(served.url, groups);
    expect(differingPaths(groups, snapshot, hashes)).toEqual([]);
    expect(Object.keys(hashes)).toEqual(Object.keys(snapshot));
  });
});
