import { VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { generateNamespaceId } from "../../catapult/entity/generated-id.js";
import { transactionSigningBytes } from "../../catapult/entity/hashes.js";
import {
  type TransactionContent,
  transferContent,
  unsignedTransaction,
} from "../../catapult/entity/transaction-writer.js";
import { assembleBlock } from "../../devnet/chain/block-assembly.js";
import type { StoredBlock } from "../../devnet/chain/chain.js";
import { type DevnetTransaction, decodeDevnetTransaction } from "../../devnet/chain/transaction.js";
import { DEFAULT_RULES } from "../../devnet/network/settings.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { contentOf } from "./transaction-content.js";
import { HARVESTING_NONCE, INITIAL_SUPPLY, type Party, type WalkNetwork } from "./walk-network.js";

/** The mosaic's names, as on the main network. */
const ROOT = generateNamespaceId("symbol");
export const CURRENCY_NAMESPACE = generateNamespaceId("xym", ROOT);

const XYM = 1_000_000n;
const LAST_EPOCH = 360;
const SUPPLY_MUTABLE = 1;
const TRANSFERABLE = 2;
const LINK = 1;
/** Of each voter; the next one has so much more. No voter harvests: it has more than the maximum. */
const VOTER_SHARE = 800_000_000n * XYM;
const VOTER_STEP = 20_000_000n * XYM;
const EXCLUDED_SHARE = 50_000_000n * XYM;

/** An account, and what it has at first in atomic units. */
export interface Funded {
  readonly party: Party;
  readonly amount: bigint;
}

/** Funds of the accounts of a walk: amounts around those that count for harvesters and voters. */
export function firstFundsOf(accounts: readonly Party[]): Funded[] {
  return accounts.map((party, index) => ({ party, amount: firstFunds(index % 8) }));
}

/** One of eight amounts, as in {@link firstFundsOf}. */
export function firstFunds(kind: number): bigint {
  const around = [10_000n * XYM, 10_000n * XYM + 1n, 3_000_100n * XYM, 10_100n * XYM, 3_010_000n * XYM];
  return around[kind] ?? 25_000n * XYM;
}

/** The first block, and the roots of the nine sub-caches after it. */
export interface WalkNemesis extends StoredBlock {
  readonly roots: readonly Buffer[];
}

/**
 * The first block of a network, with the hashes that our own rules give it; a node verifies them when it starts.
 *
 * @param nodeKeys public keys of the nodes' certificates, to which accounts delegate harvesting
 */
export function createWalkNemesis(
  network: WalkNetwork,
  walkers: readonly Funded[],
  nodeKeys: readonly Buffer[],
): WalkNemesis {
  const { nemesis, config, identity } = network;
  const state = new ChainState(config);
  const block = assembleBlock(
    {
      height: 1,
      timestamp: 0,
      difficulty: 100_000_000_000_000n,
      previousBlockHash: Buffer.alloc(32),
      previousGenerationHash: config.generationHashSeed,
      previousImportanceBlockHash: Buffer.alloc(32),
      feeMultiplier: 0,
      transactions: [
        ...currency(network).map((content) => transaction(network, nemesis, content)),
        ...funds(network, walkers).map(({ party, amount }) =>
          transaction(network, nemesis, transferContent(party.address, bothOf(network, amount), Buffer.alloc(0))),
        ),
        ...[...links(network, nodeKeys)].map(([signer, content]) => transaction(network, signer, content)),
      ],
      signer: nemesis,
      vrf: nemesis,
      beneficiaryAddress: nemesis.address,
    },
    { ...DEFAULT_RULES, networkIdentifier: identity.identifier, importanceGrouping: config.importanceGrouping },
    state,
  );
  return { ...block, roots: state.subCacheMerkleRoots() };
}

function currency({ config, currencyMosaicId, harvestingMosaicId: id }: WalkNetwork): TransactionContent[] {
  const harvesting = [
    contentOf("mosaic_definition", {
      id,
      nonce: HARVESTING_NONCE,
      flags: TRANSFERABLE | SUPPLY_MUTABLE,
      divisibility: 3,
    }),
    contentOf("mosaic_supply_change", { mosaicId: id, delta: INITIAL_SUPPLY, action: 1 }),
  ];
  return [
    contentOf("namespace_registration", { id: ROOT, name: Buffer.from("symbol") }),
    contentOf("namespace_registration", {
      durationOrParentId: ROOT,
      id: CURRENCY_NAMESPACE,
      registrationType: 1,
      name: Buffer.from("xym"),
    }),
    contentOf("mosaic_definition", {
      id: currencyMosaicId,
      flags: TRANSFERABLE,
      divisibility: config.mosaic.maxDivisibility,
    }),
    contentOf("mosaic_alias", { namespaceId: CURRENCY_NAMESPACE, mosaicId: currencyMosaicId, aliasAction: LINK }),
    contentOf("mosaic_supply_change", { mosaicId: CURRENCY_NAMESPACE, delta: INITIAL_SUPPLY, action: 1 }),
    ...(id === currencyMosaicId ? [] : harvesting),
  ];
}

function funds(
  { config, voters, excludedVoters, harvesters, sinks, bank }: WalkNetwork,
  walkers: readonly Funded[],
): Funded[] {
  const named = [
    ...voters.map(({ account }, index) => ({ party: account, amount: VOTER_SHARE + BigInt(index) * VOTER_STEP })),
    ...excludedVoters.map((party) => ({ party, amount: EXCLUDED_SHARE })),
    ...harvesters.map(({ account }) => ({ party: account, amount: (config.maxHarvesterBalance * 9n) / 10n })),
    ...sinks.map((party) => ({ party, amount: 1n })),
    ...walkers,
  ];
  const rest = named.reduce((left, { amount }) => left - amount, INITIAL_SUPPLY);
  return [...named, { party: bank, amount: rest }];
}

function* links(
  { voters, excludedVoters, harvesters, party }: WalkNetwork,
  nodeKeys: readonly Buffer[],
): Generator<[Party, TransactionContent]> {
  for (const { account, votingRoot } of voters) yield [account, votingKeyLink(votingRoot.publicKey)];
  for (const [index, account] of excludedVoters.entries()) {
    yield [account, votingKeyLink(party(`excluded voting root ${index}`).publicKey)];
  }
  for (const [index, { account, remote, vrf }] of harvesters.entries()) {
    const nodeKey = nodeKeys[index % nodeKeys.length]!;
    yield [account, contentOf("vrf_key_link", { linkedPublicKey: vrf.publicKey, linkAction: LINK })];
    if (!remote) continue;
    yield [account, contentOf("account_key_link", { linkedPublicKey: remote.publicKey, linkAction: LINK })];
    yield [account, contentOf("node_key_link", { linkedPublicKey: nodeKey, linkAction: LINK })];
  }
}

function votingKeyLink(linkedPublicKey: Buffer): TransactionContent {
  return contentOf("voting_key_link", { linkedPublicKey, startEpoch: 1, endEpoch: LAST_EPOCH, linkAction: LINK });
}

/** As much of the currency as of the harvesting mosaic. */
function bothOf({ currencyMosaicId, harvestingMosaicId }: WalkNetwork, amount: bigint) {
  return [...new Set([currencyMosaicId, harvestingMosaicId])].map((mosaicId) => ({ mosaicId, amount }));
}

function transaction({ identity }: WalkNetwork, signer: Party, content: TransactionContent): DevnetTransaction {
  const terms = { network: identity.identifier, signerPublicKey: signer.publicKey, maxFee: 0n, deadline: 1n };
  const bytes = unsignedTransaction(content, terms);
  signer.sign(transactionSigningBytes(bytes, identity)).copy(bytes, VERIFIABLE.signature);
  return decodeDevnetTransaction(bytes, identity);
}
