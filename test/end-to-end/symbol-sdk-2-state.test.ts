/** @jest-environment ./test/support/sdk-environment.js */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { firstValueFrom, type Observable, toArray } from "rxjs";
import type { Metadata, RepositoryFactoryHttp, StateMerkleProof } from "symbol-sdk-v2";
import sdk from "symbol-sdk-v2";
import { encodeAddress } from "../../catapult/entity/address.js";
import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";
import type { Gateway } from "../../gateway/server.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { type StateScenario, writeStateScenario } from "../support/state-scenario.js";
import { startTestGateway } from "../support/test-gateway.js";

describe("symbol-sdk 2 reads a devnet's state through the gateway", () => {
  let fixture: DevnetFixture;
  let index: IndexedDatabase | undefined;
  let gateway: Gateway | undefined;
  let factory: RepositoryFactoryHttp;
  let scenario: StateScenario;
  let roots: Map<StateKind, string>;

  beforeAll(async () => {
    fixture = await DevnetFixture.start({ seed: "symbol-sdk 2 reads state" });
    const { devnet } = fixture;
    await devnet.harvest(2);
    scenario = await writeStateScenario(devnet);
    const tip = devnet.block(devnet.height);
    const hashes = (await fixture.executed()).state.subCacheMerkleRoots();
    roots = new Map(STATE_KINDS.map((kind, place) => [kind, hex(hashes[place] as Buffer)]));
    index = await IndexedDatabase.create();
    await index.follow(devnet);
    await index.waitForHash(tip.hash);
    gateway = await startTestGateway({
      databaseUrl: index.url,
      nodes: [devnet],
    });
    factory = new sdk.RepositoryFactoryHttp(`http://127.0.0.1:${gateway.port}`, {
      networkType: sdk.NetworkType.TEST_NET,
      generationHash: hex(devnet.generationHashSeed),
      epochAdjustment: devnet.rules.epochAdjustment,
      nodePublicKey: hex(devnet.publicKey),
    });
  });

  afterAll(async () => {
    await gateway?.stop();
    await index?.drop();
    await fixture?.stop();
  });

  const addressOf = ({ address }: { readonly address: Buffer }) =>
    sdk.Address.createFromRawAddress(encodeAddress(address));
  const read = <T>(answer: Observable<T>) => firstValueFrom(answer);
  const readAll = <T>(stream: Observable<T>) => firstValueFrom(stream.pipe(toArray()));
  const mosaic = (id: bigint) => new sdk.MosaicId(idText(id));
  const currency = () => fixture.devnet.currencyMosaicId;

  /** Reads a list to its end, ten at a time, in both orders; both have the same entries, each once. */
  async function walk<T>(
    search: (criteria: { order: sdk.Order; pageSize: number }) => Observable<T>,
    keyOf: (entry: T) => string,
  ) {
    const ascending = await readAll(search({ order: sdk.Order.Asc, pageSize: 10 }));
    const descending = await readAll(search({ order: sdk.Order.Desc, pageSize: 10 }));
    const keys = ascending.map(keyOf);
    expect(descending.map(keyOf)).toEqual(keys.toReversed());
    expect(new Set(keys).size).toBe(keys.length);
    return ascending;
  }

  /** A proof that matches the node's own root of the tree. */
  async function prove(kind: StateKind, proofs: readonly Observable<StateMerkleProof>[]) {
    expect(proofs.length).toBeGreaterThan(0);
    for (const answer of proofs) {
      const { valid, rootHash } = await read(answer);
      expect({ kind, valid, rootHash }).toEqual({ kind, valid: true, rootHash: roots.get(kind) });
    }
    process.stderr.write(`symbol-sdk 2 proved ${proofs.length} of kind ${kind}\n`);
  }

  test("the roots are those under the head's state hash", async () => {
    const height = sdk.UInt64.fromUint(fixture.devnet.height);
    const { stateHash } = await read(factory.createBlockRepository().getBlockByHeight(height));
    const hash = createHash("sha3-256");
    for (const kind of STATE_KINDS) hash.update(Buffer.from(roots.get(kind) ?? "", "hex"));
    expect(hex(hash.digest())).toBe(stateHash);
  });

  test("accounts", async () => {
    const accounts = factory.createAccountRepository();
    const { alice, parties, mosaicIds } = scenario;
    const info = await read(accounts.getAccountInfo(addressOf(alice)));
    expect(info.publicKey).toBe(hex(alice.publicKey));
    const amounts = new Map(info.mosaics.map(({ id, amount }) => [id.toHex(), amount.toString()]));
    for (const id of [currency(), ...mosaicIds]) {
      expect(amounts.get(idText(id))).toBe(fixture.devnet.balanceOf(alice.address, id).toString());
    }
    const several = await read(accounts.getAccountsInfo(parties.map(addressOf)));
    expect(several.map(({ address }) => address.plain())).toEqual(parties.map((party) => addressOf(party).plain()));
    expect(several.map(({ mosaics }) => mosaics[0]?.amount.compact())).toEqual(parties.map((_, place) => place + 1));

    const all = await walk(
      (criteria) => accounts.streamer().search(criteria),
      ({ address }) => address.plain(),
    );
    expect(all.length).toBeGreaterThan(parties.length);
    const [coin] = mosaicIds as [bigint];
    const holders = await readAll(
      accounts.streamer().search({
        mosaicId: mosaic(coin),
        orderBy: sdk.AccountOrderBy.Balance,
        order: sdk.Order.Desc,
        pageSize: 10,
      }),
    );
    const { parties: poor } = scenario;
    expect(holders.map(({ address }) => address.plain())).toEqual(
      [alice, ...poor.toReversed()].map((party) => addressOf(party).plain()),
    );
    const service = new sdk.StateProofService(factory);
    await prove(
      "account",
      all.map((one) => service.account(one)),
    );
    await prove("account", [service.accountById(addressOf(alice))]);
  });

  test("mosaics", async () => {
    const mosaics = factory.createMosaicRepository();
    const { alice, mosaicIds } = scenario;
    const first = await read(mosaics.getMosaic(mosaic(mosaicIds[0] as bigint)));
    expect([first.supply.compact(), first.divisibility, first.ownerAddress.plain()]).toEqual([
      1000,
      0,
      addressOf(alice).plain(),
    ]);
    const several = await read(mosaics.getMosaics(mosaicIds.map(mosaic)));
    expect(several.map(({ supply }) => supply.compact())).toEqual(mosaicIds.map((_, place) => 1000 * (place + 1)));
    const own = await walk(
      (criteria) => mosaics.streamer().search({ ...criteria, ownerAddress: addressOf(alice) }),
      ({ id }) => id.toHex(),
    );
    expect(own.map(({ id }) => id.toHex()).sort()).toEqual(mosaicIds.map(idText).sort());
    const service = new sdk.StateProofService(factory);
    await prove(
      "mosaic",
      [...mosaicIds, currency()].map((id) => service.mosaicById(mosaic(id))),
    );
  });

  test("namespaces, their names, and their targets", async () => {
    const namespaces = factory.createNamespaceRepository();
    const { alice, bob, carol, mosaicIds } = scenario;
    const [coin] = mosaicIds as [bigint];
    const deep = new sdk.NamespaceId("root2.child.grandchild");
    const info = await read(namespaces.getNamespace(deep));
    expect([info.active, info.depth, info.ownerAddress.plain()]).toEqual([true, 3, addressOf(bob).plain()]);
    expect(info.levels.map((level) => level.toHex())).toEqual(
      ["root2", "root2.child", "root2.child.grandchild"].map((name) => idText(namespaceIdOf(name))),
    );
    const names = await read(namespaces.getNamespacesNames([deep]));
    expect(names.map(({ name }) => name)).toEqual(["grandchild", "child", "root2"]);
    expect((await read(namespaces.getLinkedAddress(deep)))?.plain()).toBe(addressOf(carol).plain());
    expect((await read(namespaces.getLinkedMosaicId(new sdk.NamespaceId("alice.coin"))))?.toHex()).toBe(idText(coin));
    const ofAccounts = await read(namespaces.getAccountsNames([addressOf(alice), addressOf(bob), addressOf(carol)]));
    // The nemesis block has a name for alice, too.
    expect(ofAccounts.map((one) => one.names.map(({ name }) => name))).toEqual([
      ["devnet.alice", "root0", "root1.child"],
      [],
      ["root2.child.grandchild"],
    ]);
    const ofMosaics = await read(namespaces.getMosaicsNames([mosaic(coin), mosaic(currency())]));
    expect(ofMosaics[0]?.names.map(({ name }) => name)).toEqual(["alice.coin"]);

    const all = await walk(
      (criteria) => namespaces.streamer().search(criteria),
      ({ id }) => id.toHex(),
    );
    const own = await readAll(namespaces.streamer().search({ ownerAddress: addressOf(bob), pageSize: 10 }));
    expect(own).toHaveLength(12 + 12 + 3);
    const service = new sdk.StateProofService(factory);
    const rootsOnly = all.filter(
      ({ registrationType }) => registrationType === sdk.NamespaceRegistrationType.RootNamespace,
    );
    await prove(
      "namespace",
      rootsOnly.map((root) => service.namespaces(root)),
    );
    await prove("namespace", [service.namespaceById(new sdk.NamespaceId("root0"))]);
  });

  test("names of unnamed things, which its account service requests", async () => {
    const owner = sdk.Account.generateNewAccount(sdk.NetworkType.TEST_NET).address;
    const service = new sdk.AccountService(factory);
    expect(await read(service.accountNamespacesWithName(owner))).toEqual([]);
  });

  test("multisig", async () => {
    const multisigs = factory.createMultisigRepository();
    const { top, middle, leaves } = scenario.multisig;
    const info = await read(multisigs.getMultisigAccountInfo(addressOf(middle)));
    expect([info.minApproval, info.minRemoval]).toEqual([leaves.length, 1]);
    expect(info.multisigAddresses.map((address) => address.plain())).toEqual([addressOf(top).plain()]);
    expect(info.cosignatoryAddresses.map((address) => address.plain()).sort()).toEqual(
      leaves.map((leaf) => addressOf(leaf).plain()).sort(),
    );
    const graph = await read(multisigs.getMultisigAccountGraphInfo(addressOf(middle)));
    const sizes = [...graph.multisigEntries].map(([level, entries]) => [level, entries.length]);
    expect(sizes).toEqual([
      [-1, 1],
      [0, 1],
      [1, leaves.length],
    ]);
    const service = new sdk.StateProofService(factory);
    await prove(
      "multisig",
      [top, middle, ...leaves].map((party) => service.multisigById(addressOf(party))),
    );
  });

  test("metadata", async () => {
    const metadata = factory.createMetadataRepository();
    const { alice, mosaicIds } = scenario;
    const all = await walk(
      (criteria) => metadata.streamer().search({ ...criteria, sourceAddress: addressOf(alice) }),
      ({ metadataEntry }) => metadataEntry.compositeHash,
    );
    expect(all.length).toBeGreaterThan(mosaicIds.length + 1);
    const [found] = await readAll(
      metadata.streamer().search({
        targetId: mosaic(mosaicIds[3] as bigint),
        metadataType: sdk.MetadataType.Mosaic,
        scopedMetadataKey: idText(3n),
      }),
    );
    expect(String(found?.metadataEntry.value)).toBe("of mosaic 3");
    const one = await read(metadata.getMetadata(found?.metadataEntry.compositeHash ?? ""));
    expect(one.id).toBe(found?.id);
    const service = new sdk.StateProofService(factory);
    // It reads values as text, so it cannot reassemble those with other bytes.
    const isText = ({ metadataEntry }: Metadata) => metadataEntry.metadataType !== sdk.MetadataType.Account;
    const texts = all.filter(isText);
    expect(texts).toHaveLength(mosaicIds.length + 1);
    await prove(
      "metadata",
      texts.map((entry) => service.metadata(entry)),
    );
    await prove("metadata", [service.metadataById(one.metadataEntry.compositeHash)]);
  });

  test("hash locks", async () => {
    const locks = factory.createHashLockRepository();
    const { bob } = scenario;
    const all = await walk(
      (criteria) => locks.streamer().search({ ...criteria, address: addressOf(bob) }),
      ({ hash }) => hash,
    );
    expect(all).toHaveLength(12);
    const one = await read(locks.getHashLock(all[0]?.hash ?? ""));
    expect([one.amount.compact(), one.status, one.mosaicId.toHex()]).toEqual([
      10_000_000,
      sdk.LockStatus.UNUSED,
      idText(currency()),
    ]);
    const service = new sdk.StateProofService(factory);
    await prove(
      "hashLock",
      all.map(({ hash }) => service.hashLockById(hash)),
    );
  });

  test("secret locks, including the used one, which is in no tree", async () => {
    const locks = factory.createSecretLockRepository();
    const { bob, carol, usedProof } = scenario;
    const all = await walk(
      (criteria) => locks.streamer().search({ ...criteria, address: addressOf(bob) }),
      ({ compositeHash }) => compositeHash,
    );
    expect(all).toHaveLength(12);
    expect(all.every(({ recipientAddress }) => recipientAddress.equals(addressOf(carol)))).toBe(true);
    const secret = hex(createHash("sha3-256").update(usedProof).digest());
    const [used] = await readAll(locks.streamer().search({ secret }));
    expect(used?.status).toBe(sdk.LockStatus.USED);
    const one = await read(locks.getSecretLock(used?.compositeHash ?? ""));
    expect(one.secret).toBe(secret);
    const service = new sdk.StateProofService(factory);
    const open = all.filter(({ status }) => status === sdk.LockStatus.UNUSED);
    await prove(
      "secretLock",
      open.map(({ compositeHash }) => service.secretLockById(compositeHash)),
    );
    expect((await read(service.secretLock(one))).valid).toBe(false);
  });

  test("restrictions of accounts", async () => {
    const restrictions = factory.createRestrictionAccountRepository();
    const { alice, parties } = scenario;
    const all = await walk(
      (criteria) => restrictions.streamer().search(criteria),
      ({ address }) => address.plain(),
    );
    expect(all.map(({ address }) => address.plain()).sort()).toEqual(
      parties
        .slice(0, 12)
        .map((party) => addressOf(party).plain())
        .sort(),
    );
    const one = await read(restrictions.getAccountRestrictions(addressOf(parties[0] as StateScenario["parties"][0])));
    expect(one.restrictions.map(({ values }) => values.map(String))).toEqual([[String(addressOf(alice))]]);
    const service = new sdk.StateProofService(factory);
    await prove(
      "accountRestriction",
      all.map(({ address }) => service.accountRestrictionById(address)),
    );
  });

  test("restrictions of mosaics", async () => {
    const restrictions = factory.createRestrictionMosaicRepository();
    const { parties, mosaicIds } = scenario;
    const all = await walk(
      (criteria) => restrictions.streamer().search(criteria),
      ({ compositeHash }) => compositeHash,
    );
    expect(all).toHaveLength(mosaicIds.length + 12);
    const [value] = await readAll(
      restrictions.streamer().search({ targetAddress: addressOf(parties[4] as StateScenario["parties"][0]) }),
    );
    expect(value?.mosaicId.toHex()).toBe(idText(mosaicIds[1] as bigint));
    const rules = await readAll(
      restrictions.streamer().search({ entryType: sdk.MosaicRestrictionEntryType.GLOBAL, pageSize: 10 }),
    );
    expect(rules).toHaveLength(mosaicIds.length);
    const service = new sdk.StateProofService(factory);
    await prove(
      "mosaicRestriction",
      all.map(({ compositeHash }) => service.mosaicRestrictionById(compositeHash)),
    );
  });

  test("what does not exist is an error that names it", async () => {
    const unknown = sdk.Account.generateNewAccount(sdk.NetworkType.TEST_NET).address;
    await expect(read(factory.createAccountRepository().getAccountInfo(unknown))).rejects.toThrow(unknown.plain());
    const namespace = new sdk.NamespaceId("unknown");
    await expect(read(factory.createNamespaceRepository().getNamespace(namespace))).rejects.toThrow(namespace.toHex());
  });

  test("a Metal file is served unchanged", async () => {
    const { id, file, text } = scenario.metal;
    const response = await fetch(`http://127.0.0.1:${gateway?.port}/metadata/metal/${id}`);
    expect(response.headers.get("content-type")).toBe("text/plain");
    expect(response.headers.get("content-disposition")).toBe('inline; filename="words.txt"');
    expect(response.headers.get("content-metaltext")).toBe(text);
    expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true);
  });
});

function hex(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}

function idText(id: bigint): string {
  return id.toString(16).toUpperCase().padStart(16, "0");
}
