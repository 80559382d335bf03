import { Address, generateNamespaceId, Network, SymbolTransactionFactory } from "symbol-sdk/symbol";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { transactionSigningBytes } from "../../catapult/entity/hashes.js";
import type { ChainState } from "../../ledger/engine/chain-state.js";
import type { DevnetKeys } from "../network/keys.js";
import type { DevnetNetwork } from "../network/network.js";
import type { DevnetRules } from "../network/settings.js";
import type { Signer } from "../network/signer.js";
import { assembleBlock } from "./block-assembly.js";
import type { StoredBlock } from "./chain.js";
import type { DevnetTransaction } from "./transaction.js";
import { decodeDevnetTransaction } from "./transaction.js";

const NEMESIS_DIFFICULTY = 100_000_000_000_000n;
const CURRENCY_DIVISIBILITY = 6;
const CURRENCY_NAMES = ["symbol", "xym"] as const;
const USER_NAMESPACE = "devnet";
const VOTING_START_EPOCH = 1;

/** Percentage of the currency that the harvester starts with, unless the rules say otherwise; users share the rest. */
const HARVESTER_PERCENTAGE = 50n;

/**
 * Creates the nemesis block of a network, and executes it on an empty state. The same keys result in the same block.
 */
export function createNemesis(network: DevnetNetwork, keys: DevnetKeys, state: ChainState): StoredBlock {
  return assembleBlock(
    {
      height: 1,
      timestamp: 0,
      difficulty: NEMESIS_DIFFICULTY,
      previousBlockHash: Buffer.alloc(32),
      previousGenerationHash: network.identity.generationHashSeed,
      previousImportanceBlockHash: Buffer.alloc(32),
      feeMultiplier: 0,
      transactions: nemesisTransactions(network, keys),
      signer: keys.nemesis,
      vrf: keys.nemesis,
      beneficiaryAddress: addressOfPublicKey(keys.nemesis.publicKey, network.rules.networkIdentifier),
    },
    network.rules,
    state,
  );
}

/** The currency with its name, the first owners, a namespace for the first user, and the harvester's links. */
function nemesisTransactions(network: DevnetNetwork, keys: DevnetKeys): DevnetTransaction[] {
  const { rules, currencyMosaicId } = network;
  const addressOf = ({ publicKey }: Signer) => addressOfPublicKey(publicKey, rules.networkIdentifier);
  const [rootName, currencyName] = CURRENCY_NAMES;
  const rootId = generateNamespaceId(rootName);
  const currencyId = generateNamespaceId(currencyName, rootId);
  const userRootId = generateNamespaceId(USER_NAMESPACE);
  const [firstUser] = keys.users;
  if (!firstUser) throw new Error("a devnet needs users");

  const transfer = (recipient: Signer, amount: bigint) => ({
    type: "transfer_transaction_v1",
    recipientAddress: addressOf(recipient),
    mosaics: amount > 0n ? [{ mosaicId: currencyId, amount }] : [],
  });
  // a node cannot pay fees to an account that does not exist
  const laterSinks = rules.treasuryReissuance > 0 ? Object.values<Signer>({ ...keys.sinks }) : [];

  const byNemesis = [
    { type: "namespace_registration_transaction_v1", registrationType: "root", duration: 0n, name: rootName },
    { type: "namespace_registration_transaction_v1", registrationType: "child", parentId: rootId, name: currencyName },
    {
      type: "mosaic_definition_transaction_v1",
      duration: 0n,
      nonce: network.currencyNonce,
      flags: "transferable",
      divisibility: CURRENCY_DIVISIBILITY,
    },
    {
      type: "mosaic_alias_transaction_v1",
      namespaceId: currencyId,
      mosaicId: currencyMosaicId,
      aliasAction: "link",
    },
    {
      type: "mosaic_supply_change_transaction_v1",
      mosaicId: currencyId,
      delta: rules.initialCurrencyAtomicUnits,
      action: "increase",
    },
    { type: "namespace_registration_transaction_v1", registrationType: "root", duration: 0n, name: USER_NAMESPACE },
    {
      type: "namespace_registration_transaction_v1",
      registrationType: "child",
      parentId: userRootId,
      name: firstUser.name,
    },
    ...firstOwners(rules, keys).map(({ signer, balance }) => transfer(signer, balance)),
    ...laterSinks.map((sink) => transfer(sink, 0n)),
    {
      type: "address_alias_transaction_v1",
      namespaceId: generateNamespaceId(firstUser.name, userRootId),
      address: addressOf(firstUser.signer),
      aliasAction: "link",
    },
  ];
  const votingLink = (votingRoot: Signer) => ({
    type: "voting_key_link_transaction_v1",
    linkedPublicKey: votingRoot.publicKey,
    startEpoch: VOTING_START_EPOCH,
    endEpoch: rules.maxVotingKeyLifetime,
    linkAction: "link",
  });
  const byHarvester = [
    { type: "vrf_key_link_transaction_v1", linkedPublicKey: keys.vrf.publicKey, linkAction: "link" },
    votingLink(keys.votingRoot),
    { type: "account_key_link_transaction_v1", linkedPublicKey: keys.remote.publicKey, linkAction: "link" },
  ];
  return [
    ...byNemesis.map((descriptor) => signedTransaction(descriptor, keys.nemesis, network)),
    ...byHarvester.map((descriptor) => signedTransaction(descriptor, keys.harvester, network)),
    ...(rules.firstBalances ? keys.formerVoters : []).map(({ signer, votingRoot }) =>
      signedTransaction(votingLink(votingRoot), signer, network),
    ),
  ];
}

/** Who owns the currency at first, all of it. */
function firstOwners(
  { initialCurrencyAtomicUnits: all, firstBalances }: DevnetRules,
  { users, harvester, formerVoters, reserve }: DevnetKeys,
): readonly { readonly signer: Signer; readonly balance: bigint }[] {
  const count = BigInt(users.length);
  const userShare = firstBalances?.user ?? (all - (all * HARVESTER_PERCENTAGE) / 100n) / count;
  const owners = users.map(({ signer }) => ({ signer, balance: userShare }));
  if (!firstBalances) return [...owners, { signer: harvester, balance: all - userShare * count }];
  const named = [
    ...owners,
    { signer: harvester, balance: firstBalances.harvester },
    ...formerVoters.map(({ signer }) => ({ signer, balance: firstBalances.formerVoter })),
  ];
  return [...named, { signer: reserve, balance: named.reduce((rest, { balance }) => rest - balance, all) }];
}

function signedTransaction(descriptor: object, signer: Signer, network: DevnetNetwork): DevnetTransaction {
  const factory = new SymbolTransactionFactory(Network.TESTNET);
  const transaction = factory.create({
    ...textValues(descriptor),
    signerPublicKey: signer.publicKey.toString("hex"),
    fee: 0n,
    deadline: 1n,
  });
  const bytes = Buffer.from(transaction.serialize());
  signer.sign(transactionSigningBytes(bytes, network.identity)).copy(bytes, VERIFIABLE.signature);
  return decodeDevnetTransaction(bytes, network.identity);
}

/** The SDK's factory takes keys as text, and addresses as its own objects. */
function textValues(descriptor: object): object {
  const entries = Object.entries(descriptor).map(([name, value]) => {
    if (!Buffer.isBuffer(value)) return [name, value];
    return [name, value.length === 32 ? value.toString("hex") : new Address(new Uint8Array(value))];
  });
  return Object.fromEntries(entries);
}
