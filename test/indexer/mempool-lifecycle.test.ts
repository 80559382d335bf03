import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { aliasAddressOf } from "../../catapult/entity/address.js";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { type Heard, hexOf, LifeScene, type Source } from "../support/lifecycle-scene.js";

const HOUR_S = 3600;
const sources: readonly Source[] = ["broker", "pool"];

describe.each(sources)("the lifecycle of a transaction, with pending transactions from the %s", (source) => {
  let scene: LifeScene;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let carol: DevnetAccount;
  let dave: DevnetAccount;
  let erin: DevnetAccount;

  beforeAll(async () => {
    scene = await LifeScene.start(source);
    [alice, bob, carol, dave, erin] = ["alice", "bob", "carol", "dave", "erin"].map((name) =>
      scene.fixture.account(name),
    ) as [DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount, DevnetAccount];
  });

  beforeEach(async () => {
    await scene.news();
  });

  afterAll(() => scene.stop());

  /** A bonded aggregate of alice that bob and carol have to cosign. */
  function bonded(deadlineSeconds = HOUR_S): Buffer {
    const embedded = [alice, bob, carol].map((signer) => scene.make.embedded(signer, scene.transfer(dave.address, 1n)));
    return scene.make.aggregate(
      { embedded, signer: alice, isBonded: true },
      { deadlineSeconds, cosignaturesToCome: 2 },
    );
  }

  const key = ({ publicKey }: DevnetAccount) => publicKey.toString("hex").toUpperCase();
  const told = (
    hash: Buffer,
    addresses: readonly Buffer[],
    ...channels: (Heard["channel"] | [Heard["channel"], string])[]
  ) =>
    channels.map((one) => {
      const [channel, detail] = typeof one === "string" ? [one, ""] : one;
      return { hash: hash.toString("hex").toUpperCase(), channel, detail, addresses: hexOf(addresses) };
    });

  test("announced: unconfirmedAdded to the two concerned accounts; in a block: unconfirmedRemoved, confirmedAdded", async () => {
    const hash = await scene.push(scene.make.transaction(alice, scene.transfer(bob.address, 5n)));
    await scene.heard(hash, "unconfirmedAdded");
    expect(await scene.status(hash)).toMatchObject({ group: "unconfirmed", code: "Success", height: 0 });
    expect(await scene.waiting("unconfirmed")).toEqual([hash.toString("hex")]);
    expect(await scene.news()).toEqual(told(hash, [alice.address, bob.address], "unconfirmedAdded"));

    const height = await scene.harvest();
    expect(await scene.news()).toEqual(
      told(hash, [alice.address, bob.address], "unconfirmedRemoved", "confirmedAdded"),
    );
    expect(await scene.status(hash)).toMatchObject({ group: "confirmed", code: "Success", height });
    expect(await scene.waiting("unconfirmed")).toEqual([]);
  });

  test("a bonded aggregate: partialAdded, cosignature, then with the last one partialRemoved, unconfirmedAdded", async () => {
    const concerned = [alice, bob, carol, dave].map(({ address }) => address);
    const payload = bonded();
    const hash = await scene.bond(alice, payload);
    const isAbout = ({ hash: other }: { hash: string }) => other === hash.toString("hex").toUpperCase();
    expect((await scene.news()).filter(isAbout)).toEqual(told(hash, concerned, "partialAdded"));
    expect(await scene.status(hash)).toMatchObject({ group: "partial", code: "Success" });

    await scene.fixture.client.pushCosignatures([scene.make.cosignature(bob, hash)]);
    await scene.heard(hash, "cosignature");
    expect(await scene.news()).toEqual(told(hash, concerned, ["cosignature", key(bob)]));
    expect(await scene.waiting("partial")).toEqual([hash.toString("hex")]);

    await scene.fixture.client.pushCosignatures([scene.make.cosignature(carol, hash)]);
    await scene.heard(hash, "unconfirmedAdded");
    expect(await scene.news()).toEqual(
      told(hash, concerned, ["cosignature", key(carol)], "partialRemoved", "unconfirmedAdded"),
    );
    expect(await scene.waiting("partial")).toEqual([]);

    await scene.harvest();
    expect(await scene.news()).toEqual(told(hash, concerned, "unconfirmedRemoved", "confirmedAdded"));
  });

  test("a partial aggregate at its deadline: partialRemoved and a status", async () => {
    const concerned = [alice, bob, carol, dave].map(({ address }) => address);
    const hash = await scene.bond(alice, bonded(600));
    await scene.news();
    scene.pass(601_000);
    await scene.harvest();
    await scene.heard(hash, "status");
    await scene.heard(hash, "partialRemoved");
    const code = "Failure_Extension_Partial_Transaction_Cache_Prune";
    expect(byChannel(await scene.news())).toEqual(byChannel(told(hash, concerned, "partialRemoved", ["status", code])));
    expect(await scene.status(hash)).toMatchObject({ group: "failed", code });
    expect(await scene.waiting("partial")).toEqual([]);
  });

  test("an unconfirmed transaction at its deadline: unconfirmedRemoved and a status", async () => {
    const hash = await scene.push(
      scene.make.transaction(alice, scene.transfer(bob.address, 7n), { deadlineSeconds: 600 }),
    );
    await scene.heard(hash, "unconfirmedAdded");
    await scene.news();
    scene.pass(601_000);
    await scene.harvest();
    await scene.heard(hash, "status");
    await scene.heard(hash, "unconfirmedRemoved");
    const code = "Failure_Core_Past_Deadline";
    expect(byChannel(await scene.news())).toEqual(
      byChannel(told(hash, [alice.address, bob.address], "unconfirmedRemoved", ["status", code])),
    );
    expect(await scene.status(hash)).toMatchObject({ group: "failed", code });
  });

  test("an alias: messages go to it and to the account behind it", async () => {
    const name = `alias${source}`;
    const id = generateNamespaceId(name);
    await scene.confirm(
      scene.make.transaction(carol, {
        type: "namespace_registration_transaction_v1",
        registrationType: "root",
        duration: 1000n,
        name,
        id,
      }),
    );
    await scene.confirm(
      scene.make.transaction(carol, {
        type: "address_alias_transaction_v1",
        namespaceId: id,
        address: new Uint8Array(carol.address),
        aliasAction: "link",
      }),
    );
    await scene.news();
    const alias = aliasAddressOf(id, scene.fixture.devnet.network.identifier);
    const hash = await scene.confirm(scene.make.transaction(alice, scene.transfer(alias, 3n)));
    expect(await scene.news()).toEqual(
      told(hash, [alice.address, alias, carol.address], "unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"),
    );
  });

  test("a multisig account: its cosigners, and theirs, are notified of what they may cosign, and of nothing else", async () => {
    const multisig = (account: DevnetAccount, cosigner: DevnetAccount) =>
      scene.make.aggregate({
        embedded: [
          scene.make.embedded(account, {
            type: "multisig_account_modification_transaction_v1",
            minApprovalDelta: 1,
            minRemovalDelta: 1,
            addressAdditions: [new Uint8Array(cosigner.address)],
            addressDeletions: [],
          }),
        ],
        signer: account,
        cosigners: [cosigner],
      });
    await scene.confirm(multisig(bob, erin));
    await scene.confirm(multisig(erin, dave));
    // erin signs for bob, dave signs for erin.
    const embedded = [
      scene.make.embedded(alice, scene.transfer(bob.address, 1n)),
      scene.make.embedded(bob, scene.transfer(alice.address, 1n)),
    ];
    const payload = scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 1 });
    const hash = await scene.bond(alice, payload);
    const waitingFor = [alice, bob, erin, dave].map(({ address }) => address);
    expect((await scene.life(hash)).map(({ channel, addresses }) => ({ channel, addresses }))).toEqual([
      { channel: "partialAdded", addresses: hexOf(waitingFor) },
    ]);
    await scene.news();
    await scene.fixture.client.pushCosignatures([scene.make.cosignature(dave, hash)]);
    await scene.heard(hash, "unconfirmedAdded");
    await scene.harvest();
    const named = [alice, bob].map(({ address }) => address);
    expect(await scene.news()).toEqual([
      ...told(hash, waitingFor, ["cosignature", key(dave)], "partialRemoved"),
      ...told(hash, named, "unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"),
    ]);
  });

  test("after a fork: a confirmed transaction is unconfirmed again, and then confirmed at its new height", async () => {
    const { devnet } = scene.fixture;
    const from = devnet.height;
    const hash = await scene.confirm(scene.make.transaction(alice, scene.transfer(carol.address, 9n)));
    await scene.news();
    const blocks = devnet.fork({ from, blocks: 2 });
    await scene.index.waitForHash(blocks.at(-1)!.hash);
    await scene.heard(hash, "unconfirmedAdded", 2);
    expect(await scene.status(hash)).toMatchObject({ group: "unconfirmed" });
    const height = await scene.harvest();
    expect(await scene.news()).toEqual(
      told(hash, [alice.address, carol.address], "unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"),
    );
    expect(await scene.status(hash)).toMatchObject({ group: "confirmed", height });
  });
});

/** Where the order of a removal and its status depends on the node. */
function byChannel<T extends { readonly channel: string }>(heard: readonly T[]): T[] {
  return heard.toSorted((a, b) => a.channel.localeCompare(b.channel));
}
