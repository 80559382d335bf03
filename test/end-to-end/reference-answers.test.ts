import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { Gateway } from "../../gateway/server.js";
import { describeRecorded } from "../support/describe-chains.js";
import { type ReferenceAnswer, referenceAnswers } from "../support/recorded-chain.js";
import { RecordedStateGateway } from "../support/recorded-state-gateway.js";
import { RestClient } from "../support/rest-client.js";
import { startTestGateway } from "../support/test-gateway.js";

// biome-ignore lint/suspicious/noExplicitAny: bodies are of every form.
type Body = any;

/** Lists whose length depends on the chain: the reference had another one. */
const isOfChain = ({ entries, pagination }: ReferenceAnswer) =>
  entries !== undefined && entries > 0 && entries < (pagination?.pageSize ?? 1) - 1;

describeRecorded("requests recorded from catapult-rest 2.5.0, with COMPATIBILITY=catapult-rest", (chain) => {
  let served: RecordedStateGateway;
  let names: Readonly<Record<string, string>>;

  beforeAll(async () => {
    served = await RecordedStateGateway.start(chain, {
      compatibility: "catapult-rest",
      resourcesDirectory: chain.path("resources"),
    });
    // A node without such proofs and without harvesters.
    const { handlers } = served.node.node;
    const noProof = { type: PacketType.pullFinalizationProof, payload: Buffer.alloc(0) };
    handlers.set(PacketType.finalizationProofAtEpoch, () => noProof);
    handlers.set(PacketType.finalizationProofAtHeight, () => noProof);
    handlers.set(PacketType.unlockedAccounts, () => Buffer.alloc(0));
    names = await namesInChain();
  });

  afterAll(() => served?.close());

  async function read(path: string): Promise<Body> {
    return (await fetch(`${served.url}${path}`)).json();
  }

  /** Entities of this chain in place of the recorded ones. */
  async function namesInChain(): Promise<Record<string, string>> {
    const first = async (path: string): Promise<Body> => (await read(path)).data[0];
    const transfer = await first("/transactions/confirmed?type=16724");
    for (const { account } of (await read("/accounts?pageSize=100")).data as Body[]) {
      const { address, publicKey } = account;
      const { data } = await read(`/transactions/confirmed?address=${base32(address)}`);
      const isMultisig = (await fetch(`${served.url}/account/${base32(address)}/multisig`)).status === 200;
      const hasKey = !/^0+$/.test(publicKey);
      if (data.length < 20 || isMultisig || !hasKey) continue;
      return {
        address: base32(address),
        publicKey,
        hash: transfer.meta.hash,
        id: transfer.id,
        mosaicId: (await first("/mosaics")).mosaic.id,
        namespaceId: (await first("/namespaces")).namespace.level0,
        compositeHash: (await first("/metadata")).metadataEntry.compositeHash,
      };
    }
    throw new Error("no account of the recorded chain has a page of transactions");
  }

  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
  const filled = <T>(value: T): T => JSON.parse(fill(JSON.stringify(value)));

  describe("transferMosaicId", () => {
    let specification: Gateway;
    let transfers: Body[];
    /** Mosaics that transfers name only by an alias, with their aliases. */
    const aliased = new Map<string, string>();

    beforeAll(async () => {
      specification = await startTestGateway({ databaseUrl: served.index.url, nodes: [served.node.address] });
      const rest = new RestClient(served.url, undefined);
      transfers = await rest.all("/transactions/confirmed", { type: 16724, embedded: "true", pageSize: 100 });
      for (const { statement } of (await rest.all("/statements/resolutions/mosaic", {})) as Body[]) {
        for (const { resolved } of statement.resolutionEntries) aliased.set(resolved, statement.unresolved);
      }
    });

    afterAll(() => specification?.stop());

    const found = async (port: number, mosaicId: string): Promise<Body[]> => {
      const rest = new RestClient(`http://127.0.0.1:${port}`, undefined);
      return rest.all("/transactions/confirmed", { transferMosaicId: mosaicId, embedded: "true", order: "asc" });
    };
    const idsOf = (entries: readonly Body[]) => entries.map(({ id }) => id).sort();
    const writing = (id: string) =>
      transfers.filter(({ transaction }) => transaction.mosaics.some((one: Body) => one.id === id));

    test("finds the written id, or the mosaic itself too", async () => {
      expect(aliased.size).toBeGreaterThan(0);
      let onlyByAlias = 0;
      for (const [resolved, alias] of aliased) {
        const written = idsOf(writing(resolved));
        expect(idsOf(await found(served.gateway.port, resolved))).toEqual(written);
        const all = idsOf(await found(specification.port, resolved));
        expect(written.filter((id) => !all.includes(id))).toEqual([]);
        const others = all.filter((id) => !written.includes(id));
        expect(others.filter((id) => !idsOf(writing(alias)).includes(id))).toEqual([]);
        onlyByAlias += others.length;
        for (const port of [served.gateway.port, specification.port]) {
          expect(idsOf(await found(port, alias))).toEqual(idsOf(writing(alias)));
        }
      }
      expect(onlyByAlias).toBeGreaterThan(0);
    });
  });

  test("multisig graphs list the entries of a level by address, like an index over addresses", async () => {
    const several: Body[] = [];
    for (const { account } of (await read("/accounts?pageSize=100")).data as Body[]) {
      const levels: Body = await read(`/account/${base32(account.address)}/multisig/graph`);
      if (Array.isArray(levels)) several.push(...levels.filter(({ multisigEntries }) => multisigEntries.length > 1));
    }
    expect(several.length).toBeGreaterThan(0);
    for (const { multisigEntries } of several) {
      const addresses = multisigEntries.map(({ multisig }: Body) => multisig.accountAddress);
      expect(addresses).toEqual(addresses.toSorted());
    }
  });

  describe("recorded requests", () => {
    const answers = referenceAnswers();
    const faults = answers.filter(({ status }) => status === 500);
    const kept = answers.filter(({ status }) => status !== 500);
    const titled = kept.map((answer) => {
      const { method, path, request } = answer;
      return [`${method} ${path}${request ? ` ${JSON.stringify(request)}` : ""}`, answer] as const;
    });

    test("there are 179 requests, of which three fail at catapult-rest itself", () => {
      expect(answers).toHaveLength(179);
      expect(faults).toHaveLength(3);
    });

    test.each(titled)("%s", async (_title, recorded) => {
      const { method, path, request, status, body, pagination, entries, order } = recorded;
      const init = request
        ? { body: fill(JSON.stringify(request)), headers: { "content-type": "application/json" } }
        : {};
      const response = await fetch(`${served.url}${fill(path)}`, { method, ...init });
      const answer: Body = await response.json();
      expect({ status: response.status, answer }).toEqual({ status, answer });
      if (status !== 200) {
        expect(answer).toEqual(filled(body));
        return;
      }
      if (pagination) expect(answer.pagination).toMatchObject(pagination);
      const listed: Body[] | undefined = pagination ? answer.data : Array.isArray(answer) ? answer : undefined;
      if (entries !== undefined && listed && !isOfChain(recorded)) expect(listed).toHaveLength(entries);
      if (!order || !listed) return;
      const heights = listed.map(({ block, statement, meta }) =>
        Number(block?.height ?? statement?.height ?? meta.height),
      );
      const ascending = heights.toSorted((a, b) => a - b);
      expect(heights).toEqual(order === "desc" ? ascending.toReversed() : ascending);
    });

    test.each(faults.map((answer) => [answer.path, answer] as const))(
      "%s is no failure of the server here",
      async (_path, { method, path, request }) => {
        const init = request
          ? { body: fill(JSON.stringify(request)), headers: { "content-type": "application/json" } }
          : {};
        expect((await fetch(`${served.url}${path}`, { method, ...init })).status).toBeLessThan(500);
      },
    );
  });
});

/** REST bodies have addresses in hex digits. */
function base32(address: string): string {
  return encodeAddress(Buffer.from(address, "hex"));
}
