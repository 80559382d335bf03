import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { Example } from "../../gateway/rest/openapi.js";
import { routes } from "../../gateway/rest/routes/table.js";
import { describeRecorded } from "../support/describe-chains.js";
import { recordedProofs } from "../support/recorded-index.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { sendJson } from "../support/rest-client.js";
import { until } from "../support/until.js";

const FILE = new URL("../../../gateway/rest/examples.json", import.meta.url);
/** What their examples show is long or different each time, or needs something to be announced or stored. */
const NOT_ASKED = [
  ...["getMetrics", "getOpenApi", "getAsyncApi", "getMetadataMetal", "streamEvents"],
  ...["announceTransaction", "announceOneTransaction", "announcePartialTransaction", "announceCosignatureTransaction"],
];
/** Answers that depend on the moment, the machine or the program's version. */
const CHANGING = [
  ...["getReadiness", "getNodeInfo", "getNodeTime", "getNodeStorage", "getServerInfo", "simulateTransactions"],
];
/** What the recorded node answered to requests without content. */
const SMALL_ANSWERS = [
  [PacketType.nodeDiscoveryPullPeers, "nodePeers"],
  [PacketType.timeSyncNetworkTime, "networkTime"],
  [PacketType.unlockedAccounts, "unlockedAccounts"],
] as const;
/** In a finalization proof. */
const HEIGHT_OFFSET = 16;

const firstEntity = (bytes: Buffer) => bytes.subarray(0, bytes.readUInt32LE(0));

describeRecorded("examples of /openapi.json", (chain) => {
  const written = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Example>;
  let served: RecordedStateGateway;

  beforeAll(async () => {
    served = await RecordedStateGateway.start(chain, {
      resourcesDirectory: chain.path("resources"),
      nodeMetadata: { operator: "example" },
    });
    const { node } = served.node;
    const proofs = recordedProofs(chain);
    node.showProofs(proofs);
    node.handlers.set(PacketType.finalizationProofAtHeight, (request) => ({
      type: PacketType.pullFinalizationProof,
      payload:
        [...proofs.values()].find((proof) => proof.readBigUInt64LE(HEIGHT_OFFSET) === request.readBigUInt64LE(0)) ??
        Buffer.alloc(0),
    }));
    const packets = chain.packets();
    for (const [type, name] of SMALL_ANSWERS) node.handlers.set(type, () => Buffer.from(packets[name] ?? "", "hex"));
    const pulls = chain.lines<{ packet: string; response: string }>("fork/pulls.jsonl.gz");
    const shown = (packet: string) =>
      Buffer.from(pulls.find((pull) => pull.packet === packet && pull.response !== "")!.response, "hex");
    const unconfirmed = shown("Pull_Transactions");
    const partial = shown("Pull_Partial_Transaction_Infos");
    node.showUnconfirmed([firstEntity(unconfirmed)]);
    node.showPartial(partial);
    for (const group of ["unconfirmed", "partial"])
      await until(
        async () => (await get(`/transactions/${group}`)).pagination.totalEntries > 0,
        `the ${group} transactions are indexed`,
      );
  });

  afterAll(() => served?.close());

  async function get(path: string) {
    const response = await fetch(`${served.url}${path}`);
    const text = await response.text();
    expect({ path, status: response.status, text }).toEqual({ path, status: 200, text });
    return response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
  }

  async function answerTo(operationId: string, { parameters = {}, body }: Example): Promise<unknown> {
    const route = routes.find((one) => one.operationId === operationId)!;
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(parameters[name]));
    const query = Object.entries(parameters).filter(([name]) => !route.path.includes(`{${name}}`));
    const pairs = query.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
    if (body === undefined) return get(pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`);
    const answer = await sendJson("POST", served.url + path, body);
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    return answer.body;
  }

  test("are what the gateway answers on the recorded chain (UPDATE_EXAMPLES=1 rewrites the answers)", async () => {
    const current: Record<string, Example> = {};
    for (const { operationId: id } of routes) {
      const example = written[id];
      if (!example) continue;
      const answer = NOT_ASKED.includes(id) ? example.answer : await answerTo(id, example);
      current[id] = { ...example, answer };
    }
    if (process.env.UPDATE_EXAMPLES === "1") {
      const lines = Object.entries(current).map(
        ([id, example]) => `  ${JSON.stringify(id)}: ${JSON.stringify(example)}`,
      );
      writeFileSync(FILE, `{\n${lines.join(",\n")}\n}\n`);
      return;
    }
    for (const id of CHANGING) current[id] = written[id]!;
    expect(current).toEqual(written);
  });
});
