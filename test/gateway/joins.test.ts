import { describe, expect, test } from "@jest/globals";
import { encodeAliasAddress } from "../../catapult/entity/address.js";
import { withReceipts } from "../../schema/chain/statement.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { RestStack } from "../support/rest-stack.js";
import { type StateScenario, writeStateScenario } from "../support/state-scenario.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";
import { TestLog } from "./gateway-fixture.js";
import { JoinsClient } from "./joins-client.js";
import { describeOtherEntities } from "./joins-entities.js";
import { describeTogether } from "./joins-together.js";

// biome-ignore lint/suspicious/noExplicitAny: answers are of every form.
type Any = any;

let scenario: StateScenario;
const log = new TestLog();
const stack = RestStack.use({
  gateway: { log: log.logger },
  populate: async ({ devnet }) => {
    scenario = await writeStateScenario(devnet);
    const { alice, bob } = scenario;
    devnet.announce(aggregatePayload(devnet, alice, bob, 5n));
    // To a namespace that is an alias of an account, as the nemesis block linked it.
    const alias = encodeAliasAddress(namespaceIdOf("devnet.alice"), devnet.network.identifier);
    devnet.announce(transferPayload(devnet, bob, alias, 7n));
    await devnet.harvest(1);
    devnet.finalize(devnet.height - 2);
  },
});
const client = new JoinsClient(stack, log);
const ask = (query: string) => client.ask(query);
const rest = (path: string) => client.rest(path);
const names = (kind: "account" | "mosaic", key: string) => client.names(kind, key);
const dataOf = (path: string) => client.dataOf(path);

const body = (joined: { body: Any } | null) => joined?.body ?? null;
const bodies = (page: { body: unknown[] }) => page.body;
/** The result of a look-up, without embedded transactions. */
async function withoutInner(path: string): Promise<Any> {
  const { transaction, ...more } = await rest(path);
  const { transactions: _, ...fields } = transaction;
  return { ...more, transaction: fields };
}

/** The same statements with those of their receipts whose member has a value. */
const ownReceipts = (statements: Any[], member: string, value: string) =>
  statements.map(({ statement, ...more }) => ({
    ...more,
    statement: { ...statement, receipts: statement.receipts.filter((receipt: Any) => receipt[member] === value) },
  }));

const one = "{ body }";
const many = "(page: { pageSize: 100 }) { body }";

test("a statement of several accounts has in the list of one of them its own receipts", () => {
  const receipt = (targetAddress: string, amount: string) => ({ version: 1, type: 0x2143, targetAddress, amount });
  const statement = { height: "7", receipts: [receipt("AA", "1"), receipt("BB", "2"), receipt("AA", "3")] };
  const entry = { id: Buffer.alloc(12, 7), body: JSON.stringify({ id: "7", meta: { timestamp: "1" }, statement }) };
  const pagination = { pageNumber: 1, pageSize: 10, totalEntries: 1, totalPages: 1 };
  const page = { data: [entry], readPagination: () => pagination, hasNextPage: false, hasPreviousPage: false };
  const own = withReceipts(page, ({ targetAddress }) => targetAddress === "AA");
  expect([own.readPagination(), own.data[0]?.id]).toEqual([pagination, entry.id]);
  expect(JSON.parse(own.data[0]!.body)).toEqual({
    ...JSON.parse(entry.body),
    statement: { height: "7", receipts: [receipt("AA", "1"), receipt("AA", "3")] },
  });
});

describe("the fields of a entity equal what REST returns", () => {
  test("blocks", async () => {
    const { blocks } = await ask(
      `{ blocks(page: { pageSize: 50 }) { data { height signerPublicKey beneficiaryAddress isFinalized
         previous ${one} next ${one} harvester ${one} beneficiary ${one}
         statements${many} addressResolutions${many} mosaicResolutions${many} transactions${many} } } }`,
    );
    const finalized = Number((await rest("/chain/info")).latestFinalizedBlock.height);
    expect(blocks.data.length).toBeGreaterThan(5);
    for (const block of blocks.data) {
      const { height } = block;
      expect(body(block.previous)).toEqual(height > 1 ? await rest(`/blocks/${height - 1}`) : null);
      expect(body(block.next)).toEqual(await rest(`/blocks/${height + 1}`));
      const signer = await rest(`/accounts/${block.signerPublicKey}`);
      const main = signer.account.supplementalPublicKeys.linked?.publicKey ?? block.signerPublicKey;
      expect(body(block.harvester)).toEqual(await rest(`/accounts/${main}`));
      expect(body(block.beneficiary)).toEqual(await rest(`/accounts/${block.beneficiaryAddress}`));
      expect(block.isFinalized).toBe(height <= finalized);
      const at = `height=${height}&pageSize=100`;
      expect(bodies(block.statements)).toEqual(await dataOf(`/statements/transaction?${at}`));
      expect(bodies(block.addressResolutions)).toEqual(await dataOf(`/statements/resolutions/address?${at}`));
      expect(bodies(block.mosaicResolutions)).toEqual(await dataOf(`/statements/resolutions/mosaic?${at}`));
      expect(bodies(block.transactions)).toEqual(await dataOf(`/transactions/confirmed?${at}`));
    }
  });

  test("transactions, including embedded ones", async () => {
    const { transactions } = await ask(
      `{ transactions(embedded: true, page: { pageSize: 100 }) { data { id height index hash size feeMultiplier
         signerPublicKey recipientAddress fee aggregateId
         block ${one} aggregate { id body } signer ${one} recipient ${one} status { group hash }
         cosignatures { version signerPublicKey signature signer ${one} } statements ${one}
         mosaics { id mosaic ${one} } } } }`,
    );
    let aliases = 0;
    for (const found of transactions.data) {
      expect(body(found.block)).toEqual(await rest(`/blocks/${found.height}`));
      expect(body(found.signer)).toEqual(await rest(`/accounts/${found.signerPublicKey}`));
      const isAlias = found.recipientAddress !== null && (await rest(`/accounts/${found.recipientAddress}`)) === null;
      if (isAlias) {
        aliases += 1;
        expect(body(found.recipient)).toEqual(
          await rest(`/accounts/${stack.node.account("alice").publicKey.toString("hex")}`),
        );
      } else if (found.recipientAddress !== null) {
        expect(body(found.recipient)).toEqual(await rest(`/accounts/${found.recipientAddress}`));
      } else expect(found.recipient).toBeNull();
      for (const { id, mosaic } of found.mosaics ?? []) {
        if (id < "8") expect(body(mosaic)).toEqual(await rest(`/mosaics/${id}`));
        else
          expect(body(mosaic).mosaic.id).toBe(
            (await rest("/network/properties")).chain.currencyMosaicId.replaceAll("'", "").slice(2),
          );
      }
      const isEmbedded = found.hash === null;
      expect(body(found.aggregate)).toEqual(
        isEmbedded ? await withoutInner(`/transactions/confirmed/${found.aggregateId}`) : null,
      );
      if (isEmbedded) {
        expect({ fee: found.fee, status: found.status }).toEqual({ fee: null, status: null });
        continue;
      }
      expect(found.status).toEqual({ group: "confirmed", hash: found.hash });
      expect(found.fee).toBe(String(found.size * found.feeMultiplier));
      const { transaction } = await rest(`/transactions/confirmed/${found.id}`);
      expect(found.cosignatures.map(({ signer, ...fields }: Any) => fields)).toEqual(transaction.cosignatures ?? []);
      for (const { signer, signerPublicKey } of found.cosignatures) {
        expect(body(signer)).toEqual(await rest(`/accounts/${signerPublicKey}`));
      }
      const all = await dataOf(`/statements/transaction?height=${found.height}&pageSize=100&order=asc`);
      expect(found.statements.map(body)).toEqual(
        all.filter(({ statement }: Any) => statement.source.primaryId === found.index + 1),
      );
    }
    expect(aliases).toBeGreaterThan(0);
  });

  test("receipts", async () => {
    const { transactionStatements } = await ask(
      `{ transactionStatements(page: { pageSize: 100 }) { data { height source { primaryId } block ${one} transaction { index height }
         receipts { mosaicId senderAddress recipientAddress targetAddress mosaic ${one} sender ${one} recipient ${one} target ${one} } } } }`,
    );
    for (const { height, source, block, transaction, receipts } of transactionStatements.data) {
      expect(body(block)).toEqual(await rest(`/blocks/${height}`));
      expect(transaction).toEqual(source.primaryId === 0 ? null : { index: expect.any(Number), height });
      for (const receipt of receipts) {
        const account = (address: string | null) => (address === null ? null : rest(`/accounts/${address}`));
        expect(body(receipt.sender)).toEqual(await account(receipt.senderAddress));
        expect(body(receipt.recipient)).toEqual(await account(receipt.recipientAddress));
        expect(body(receipt.target)).toEqual(await account(receipt.targetAddress));
        expect(body(receipt.mosaic)).toEqual(receipt.mosaicId && (await rest(`/mosaics/${receipt.mosaicId}`)));
      }
    }
  });

  test("accounts", async () => {
    const lists: readonly (readonly [field: string, path: string])[] = [
      ["transactions", "/transactions/confirmed?address="],
      ["receipts", "/statements/transaction?targetAddress="],
      ["ownedMosaics", "/mosaics?ownerAddress="],
      ["namespaces", "/namespaces?ownerAddress="],
      ["metadata", "/metadata?targetAddress="],
      ["hashLocks", "/lock/hash?address="],
      ["secretLocks", "/lock/secret?address="],
      ["mosaicRestrictions", "/restrictions/mosaic?targetAddress="],
      ["attachedMetadata", "/metadata?sourceAddress="],
      ["unconfirmed: pendingTransactions", "/transactions/unconfirmed?address="],
    ];
    const { alice, bob } = scenario;
    stack.node.devnet.announce(transferPayload(stack.node.devnet, alice, bob.address, 8n));
    await until(async () => {
      const { pendingTransactions } = await ask("{ pendingTransactions(group: unconfirmed) { data { id } } }");
      return pendingTransactions.data.length > 0;
    }, "a transaction is pending");
    const fields = lists
      .map(([field]) => `${field}${field.includes(":") ? many.replace("(", "(group: unconfirmed, ") : many}`)
      .join(" ");
    const { accounts } = await ask(
      `{ accounts(page: { pageSize: 100 }) { data { address publicKey names multisig ${one} restrictions ${one}
         mosaics { mosaicId names mosaic ${one} } } } }`,
    );
    expect(accounts.data.length).toBeGreaterThan(25);
    for (const account of accounts.data) {
      const { address } = account;
      expect(account.names).toEqual(await names("account", address));
      expect(body(account.multisig)).toEqual(await rest(`/account/${address}/multisig`));
      expect(body(account.restrictions)).toEqual(await rest(`/restrictions/account/${address}`));
      for (const { mosaicId, mosaic, names: found } of account.mosaics) {
        expect(body(mosaic)).toEqual(await rest(`/mosaics/${mosaicId}`));
        expect(found).toEqual(await names("mosaic", mosaicId));
      }
    }
    for (const { publicKey } of [scenario.alice, scenario.bob]) {
      const key = publicKey.toString("hex");
      const { account } = await ask(`{ account(publicKey: "${key}") { address ${fields} signedBlocks${many} } }`);
      const { account: whole } = await rest(`/accounts/${account.address}`);
      for (const [field, path] of lists) {
        const found = await dataOf(`${path}${account.address}&pageSize=100`);
        expect({ field, found: bodies(account[field.split(":")[0] as string]) }).toEqual({
          field,
          found: field === "receipts" ? ownReceipts(found, "targetAddress", whole.address) : found,
        });
      }
      expect(bodies(account.signedBlocks)).toEqual(await dataOf(`/blocks?signerPublicKey=${key}&pageSize=100`));
    }
  });

  test("mosaics and namespaces", async () => {
    const { mosaics, namespaces } = await ask(
      `{ mosaics(page: { pageSize: 100 }) { data { mosaicId ownerAddress names owner ${one} holders${many} metadata${many} restrictions${many}
           transactions${many.replace("(", "(embedded: true, ")} receipts${many} } }
         namespaces(page: { pageSize: 100 }) { data { namespaceId ownerAddress levels name owner ${one} parent { namespaceId body } metadata${many}
           root { namespaceId } family${many} receipts${many}
           alias { mosaicId address mosaic ${one} account ${one} } } } }`,
    );
    expect(Math.min(mosaics.data.length, namespaces.data.length)).toBeGreaterThan(5);
    for (const mosaic of mosaics.data) {
      const { mosaicId } = mosaic;
      expect(body(mosaic.owner)).toEqual(await rest(`/accounts/${mosaic.ownerAddress}`));
      expect(mosaic.names).toEqual(await names("mosaic", mosaicId));
      expect(bodies(mosaic.holders)).toEqual(
        await dataOf(`/accounts?mosaicId=${mosaicId}&orderBy=balance&order=desc&pageSize=100`),
      );
      expect(bodies(mosaic.metadata)).toEqual(
        await dataOf(`/metadata?targetId=${mosaicId}&metadataType=1&pageSize=100`),
      );
      expect(bodies(mosaic.transactions)).toEqual(
        await dataOf(`/transactions/confirmed?transferMosaicId=${mosaicId}&embedded=true&pageSize=100`),
      );
      expect(bodies(mosaic.receipts)).toEqual(
        ownReceipts(
          await dataOf(`/statements/transaction?artifactId=${mosaicId}&pageSize=100`),
          "artifactId",
          mosaicId,
        ),
      );
      expect(bodies(mosaic.restrictions)).toEqual(
        await dataOf(`/restrictions/mosaic?mosaicId=${mosaicId}&pageSize=100`),
      );
    }
    for (const { namespaceId, levels, alias, ...namespace } of namespaces.data) {
      expect(body(namespace.owner)).toEqual(await rest(`/accounts/${namespace.ownerAddress}`));
      expect(namespace.root.namespaceId).toBe(levels[0]);
      expect(bodies(namespace.family)).toEqual(await dataOf(`/namespaces?level0=${levels[0]}&pageSize=100`));
      const statements = await dataOf(`/statements/transaction?artifactId=${namespaceId}&pageSize=100`);
      expect(bodies(namespace.receipts)).toEqual(ownReceipts(statements, "artifactId", namespaceId));
      expect(namespace.parent?.namespaceId ?? null).toBe(levels.length > 1 ? levels.at(-2) : null);
      expect(body(alias.mosaic)).toEqual(alias.mosaicId && (await rest(`/mosaics/${alias.mosaicId}`)));
      expect(body(alias.account)).toEqual(alias.address && (await rest(`/accounts/${alias.address}`)));
      expect(bodies(namespace.metadata)).toEqual(
        await dataOf(`/metadata?targetId=${namespaceId}&metadataType=2&pageSize=100`),
      );
    }
  });

  test("metadata, locks, multisig and restrictions", async () => {
    const { metadata, secretLocks, hashLocks, accountRestrictions, mosaicRestrictions, multisig } = await ask(
      `{ metadata(page: { pageSize: 30 }) { data { sourceAddress targetAddress targetId metadataType source ${one} target ${one} mosaic ${one} namespace ${one} } }
         secretLocks(page: { pageSize: 30 }) { data { ownerAddress recipientAddress mosaicId owner ${one} recipient ${one} mosaic ${one} } }
         hashLocks(page: { pageSize: 30 }) { data { hash ownerAddress mosaicId owner ${one} mosaic ${one} aggregate { hash } } }
         accountRestrictions { data { address account ${one} } }
         mosaicRestrictions { data { mosaicId targetAddress mosaic ${one} target ${one} } }
         multisig(address: "${scenario.multisig.top.address.toString("hex")}") {
           address account ${one} cosignatoryAddresses cosignatories { address body cosignatories { address } multisigAddresses multisigs { address } } } }`,
    );
    const account = (address: string) => rest(`/accounts/${address}`);
    for (const entry of metadata.data) {
      expect(body(entry.source)).toEqual(await account(entry.sourceAddress));
      expect(body(entry.target)).toEqual(await account(entry.targetAddress));
      const { metadataType: type, targetId } = entry;
      expect(body(entry.mosaic)).toEqual(type === 1 ? await rest(`/mosaics/${targetId}`) : null);
      expect(body(entry.namespace)).toEqual(type === 2 ? await rest(`/namespaces/${targetId}`) : null);
    }
    for (const lock of secretLocks.data) {
      expect(body(lock.owner)).toEqual(await account(lock.ownerAddress));
      expect(body(lock.recipient)).toEqual(await account(lock.recipientAddress));
      expect(body(lock.mosaic)).toEqual(await rest(`/mosaics/${lock.mosaicId}`));
    }
    for (const lock of hashLocks.data) {
      expect(body(lock.owner)).toEqual(await account(lock.ownerAddress));
      expect(body(lock.mosaic)).toEqual(await rest(`/mosaics/${lock.mosaicId}`));
      const aggregate = await rest(`/transactions/confirmed/${lock.hash}`);
      expect(lock.aggregate).toEqual(aggregate && { hash: lock.hash });
    }
    for (const { address, account: found } of accountRestrictions.data)
      expect(body(found)).toEqual(await account(address));
    for (const { mosaicId, mosaic, targetAddress, target } of mosaicRestrictions.data) {
      expect(body(target)).toEqual(targetAddress && (await account(targetAddress)));
      expect(body(mosaic)).toEqual(await rest(`/mosaics/${mosaicId}`));
    }
    expect(Math.min(metadata.data.length, secretLocks.data.length, mosaicRestrictions.data.length)).toBeGreaterThan(3);
    expect(body(multisig.account)).toEqual(await account(multisig.address));
    expect(multisig.cosignatories.map(({ address }: Any) => address)).toEqual(multisig.cosignatoryAddresses);
    for (const cosignatory of multisig.cosignatories) {
      expect(body(cosignatory)).toEqual(await rest(`/account/${cosignatory.address}/multisig`));
      expect(cosignatory.multisigs.map(({ address }: Any) => address)).toEqual(cosignatory.multisigAddresses);
    }
  });
});

describe("reverse fields", () => {
  test("from the chain's head, finalized blocks, statuses, events and holders of the past", async () => {
    const { chain, transactions } = await ask(
      "{ chain { height block { height } latestFinalizedBlock { height block { height } } } transactions(first: 1) { data { hash } } }",
    );
    expect([chain.block.height, chain.latestFinalizedBlock.block.height]).toEqual([
      chain.height,
      chain.latestFinalizedBlock.height,
    ]);
    const { hash } = transactions.data[0];
    const currency = stack.node.devnet.currencyMosaicId.toString(16).toUpperCase().padStart(16, "0");
    const { transactionStatuses, finalizationProof, holdersAt } = await ask(
      `{ transactionStatuses(hashes: ["${hash}"]) { transaction { hash } }
         finalizationProof(epoch: 1) { height block { height } }
         holdersAt(mosaicId: "${currency}", height: 2, first: 50) { data { address account { address } } } }`,
    );
    expect(transactionStatuses).toEqual([{ transaction: { hash } }]);
    expect(finalizationProof.block.height).toBe(finalizationProof.height);
    const fields = "height body block { hash } transaction { hash height }";
    for (const { block } of await client.events(`subscription { block(from: 1) { ${fields} } }`, 3)) {
      expect(block.block.hash).toBe(block.body.meta.hash);
    }
    for (const { confirmedAdded: event } of await client.events(
      `subscription { confirmedAdded(from: 1) { ${fields} } }`,
      3,
    )) {
      expect(event.transaction).toEqual({ hash: event.body.meta.hash, height: event.height });
    }
    for (const { address, account } of holdersAt.data) expect(account.address).toBe(address);
  });

  test("from resolutions to the receipts and their targets", async () => {
    const { addressResolutions, mosaicResolutions } = await ask(
      `{ addressResolutions(first: 50) { data { height unresolved block { height } namespace { namespaceId alias { address } } resolutionEntries { resolved account { address } mosaic { id } } } }
         mosaicResolutions(first: 50) { data { height unresolved block { height } namespace { namespaceId } resolutionEntries { resolved account { id } mosaic { mosaicId } } } } }`,
    );
    expect(addressResolutions.data.length).toBeGreaterThan(0);
    for (const { height, block, namespace, resolutionEntries } of addressResolutions.data) {
      expect(block.height).toBe(height);
      for (const { account, mosaic } of resolutionEntries) {
        expect({ address: account.address, mosaic }).toEqual({ address: namespace.alias.address, mosaic: null });
      }
    }
    for (const { unresolved, namespace, resolutionEntries } of mosaicResolutions.data) {
      expect(namespace.namespaceId).toBe(unresolved);
      for (const { resolved, account, mosaic } of resolutionEntries) {
        expect({ mosaicId: mosaic.mosaicId, account }).toEqual({ mosaicId: resolved, account: null });
      }
    }
  });
});

describeOtherEntities(client);
describeTogether(client);
