import { createHash } from "node:crypto";
import { models, SymbolFacade } from "symbol-sdk/symbol";
import type { FailureName } from "../../catapult/announcement/status-code.js";
import { derivePublicKey, signData } from "../../catapult/crypto/signature.js";
import { addressOfPublicKey, encodeAddress, encodeAliasAddress } from "../../catapult/entity/address.js";
import { generateMosaicId } from "../../catapult/entity/generated-id.js";
import { transactionHash, transactionSigningBytes } from "../../catapult/entity/hashes.js";
import { asAggregate, decodeTransaction } from "../../catapult/entity/transaction.js";
import { type ForkHeights, type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import type { ExecutedBlock } from "../../ledger/engine/executed-block.js";
import type { ExecutableBlock, ExecutableTransaction } from "../../ledger/rules/notifications.js";
import type { AccountState } from "../../ledger/tables/accounts.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import type { Descriptor, Party } from "../support/transaction-maker.js";

/** Network of the chains of these tests. */
export const NETWORK = { identifier: 152, generationHashSeed: Buffer.alloc(32, 7) };
const BLOCK_TIME = 5000;
const HOUR = 3_600_000;
const facade = new SymbolFacade("testnet");

export type { Descriptor } from "../support/transaction-maker.js";

/** By public key, hex: every account that was named. */
const privateKeys = new Map<string, Buffer>();

/** The account of this name: always the same. */
export function account(name: string): Party {
  const privateKey = createHash("sha256").update(name).digest();
  const publicKey = derivePublicKey(privateKey);
  privateKeys.set(hexOf(publicKey), privateKey);
  return { publicKey, privateKey, address: addressOfPublicKey(publicKey, NETWORK.identifier) };
}

/** The bytes of a transaction with the signatures of its signer and its cosigners. */
export function signed({ bytes, entity }: ExecutableTransaction): Buffer {
  const payload = Buffer.from(bytes);
  const sign = (publicKey: Uint8Array, data: Buffer) => signData(privateKeys.get(hexOf(Buffer.from(publicKey)))!, data);
  sign(payload.subarray(72, 104), transactionSigningBytes(payload, NETWORK)).copy(payload, 8);
  const hash = transactionHash(payload, NETWORK);
  const cosignatures = asAggregate(entity)?.cosignatures ?? [];
  for (const [index, { signerPublicKey }] of cosignatures.entries()) {
    const end = payload.length - 104 * (cosignatures.length - 1 - index);
    sign(signerPublicKey, hash).copy(payload, end - 64);
  }
  return payload;
}

/** The address of an account in the form of descriptors. */
export function addressOf(name: string): Uint8Array {
  return Uint8Array.from(account(name).address);
}

/** The address of the namespace of this name, as an alias. */
export function aliasOf(name: string): Buffer {
  return encodeAliasAddress(namespaceIdOf(name), NETWORK.identifier);
}

/** The mosaic that the account of this name creates with a nonce. */
export function mosaicOf(owner: string, nonce: number): bigint {
  return generateMosaicId(account(owner).address, nonce);
}

export const CURRENCY = mosaicOf("nemesis", 1);
export const HARVESTING = mosaicOf("nemesis", 2);
/** Initial funds of each funded account, in atomic units of the currency. */
export const FUNDS = 10_000_000_000n;

/** The content of a block of such a chain, and the result. */
export interface MinedBlock {
  readonly height: number;
  readonly timestamp: number;
  /** Name of the account. */
  readonly harvester: string;
  readonly transactions: readonly ExecutableTransaction[];
  readonly executed: ExecutedBlock;
}

/** What may vary in the header of such a block. */
export interface BlockHeader {
  /** Name of the account. */
  readonly harvester?: string;
  /** Its address. */
  readonly beneficiary?: Buffer;
  readonly feeMultiplier?: number;
}

/** A chain of decoded blocks: the nemesis block, then those of the test. Nothing is signed, no fees are paid. */
export class TestChain {
  readonly state: ChainState;
  /** Milliseconds since the network's epoch. */
  now = 0;
  /** The blocks so far. */
  readonly mined: MinedBlock[] = [];
  #deadlines = 0;

  /**
   * @param forkHeights override those of these chains, whose nodes know aggregates up to version 2
   * @param changes of the rest of the configuration
   */
  constructor(funded: readonly string[], forkHeights: Partial<ForkHeights> = {}, changes: Partial<NetworkConfig> = {}) {
    const config = { ...networkConfig(), ...changes };
    this.state = new ChainState({ ...config, forkHeights: { ...config.forkHeights, ...forkHeights } });
    this.mineWith({ harvester: "nemesis" }, ...this.#nemesisTransactions(funded));
  }

  /** Executes a block with these transactions. Throws if one is rejected. */
  mine(...transactions: readonly ExecutableTransaction[]): ExecutedBlock {
    return this.mineWith({}, ...transactions);
  }

  /** The same with another header: by default the harvester is its own beneficiary, and there are no fees. */
  mineWith(
    { harvester = "harvester", beneficiary, feeMultiplier = 0 }: BlockHeader,
    ...transactions: readonly ExecutableTransaction[]
  ): ExecutedBlock {
    this.now += BLOCK_TIME;
    const block = this.nextBlock(harvester, { feeMultiplier, transactions });
    const executed = this.state.execute({ ...block, ...(beneficiary && { beneficiaryAddress: beneficiary }) });
    this.mined.push({ ...block, harvester, executed });
    return executed;
  }

  /** A block after the last one, by the account of this name, that was not executed: an empty one, or what is changed of it. */
  nextBlock(harvester = "harvester", change: Partial<ExecutableBlock> = {}): ExecutableBlock {
    const { publicKey: signerPublicKey, address } = account(harvester);
    const header = { height: this.state.height + 1, timestamp: this.now, feeMultiplier: 0, transactions: [] };
    return { ...header, signerPublicKey, signerAddress: address, beneficiaryAddress: address, ...change };
  }

  /** Executes a block with these transactions of the account of this name. Throws if one is rejected. */
  send(signer: string, ...descriptors: readonly Descriptor[]): ExecutedBlock {
    return this.mine(...descriptors.map((descriptor) => this.transaction(signer, descriptor)));
  }

  /** Executes empty blocks. */
  skip(blocks: number): void {
    for (let block = 0; block < blocks; ++block) this.mine();
  }

  /** Why a node would reject a transaction now. */
  rejectionOf(transaction: ExecutableTransaction): FailureName | undefined {
    return this.state.checkStateless(transaction) ?? this.state.startDryRun().add(transaction, this.now);
  }

  /** The same for a transaction of the account of this name. */
  codeOf(signer: string, descriptor: Descriptor): FailureName | undefined {
    return this.rejectionOf(this.transaction(signer, descriptor));
  }

  /** The same for several, each by itself. */
  codesOf(signer: string, ...descriptors: readonly Descriptor[]): (FailureName | undefined)[] {
    return descriptors.map((descriptor) => this.codeOf(signer, descriptor));
  }

  /** The state of the account of this name. Throws if there is none. */
  account(name: string): AccountState {
    return this.state.tables.accounts.require(account(name).address);
  }

  /** What the account of this name has, by default of the currency. */
  balance(name: string, mosaicId = CURRENCY): bigint {
    return this.state.tables.accounts.get(account(name).address)?.balances.get(mosaicId)?.amount ?? 0n;
  }

  transaction(
    signer: string,
    descriptor: Descriptor,
    change: (entity: models.Transaction) => void = () => {},
  ): ExecutableTransaction {
    const deadline = BigInt(this.now + HOUR + ++this.#deadlines);
    const signerPublicKey = hexOf(account(signer).publicKey);
    const entity = facade.transactionFactory.create({ signerPublicKey, deadline, ...descriptor }, true);
    change(entity);
    return decodeTransaction(Buffer.from(entity.serialize()), NETWORK);
  }

  embedded(signer: string, descriptor: Descriptor): models.EmbeddedTransaction {
    const signerPublicKey = hexOf(account(signer).publicKey);
    return facade.transactionFactory.createEmbedded({ signerPublicKey, ...descriptor }, true);
  }

  /** An aggregate (by default complete, version 2) signed by `signer` and cosigned by `cosigners`. */
  aggregate(
    signer: string,
    transactions: readonly models.EmbeddedTransaction[],
    cosigners: readonly string[] = [],
    descriptor: Partial<Descriptor> = {},
  ): ExecutableTransaction {
    const transactionsHash = SymbolFacade.hashEmbeddedTransactions([...transactions]);
    const type = "aggregate_complete_transaction_v2";
    return this.transaction(signer, { type, transactionsHash, ...descriptor } as Descriptor, (entity) => {
      const aggregate = entity as models.AggregateCompleteTransactionV2;
      aggregate.transactions = [...transactions];
      aggregate.cosignatures = cosigners.map(cosignatureOf);
    });
  }

  #nemesisTransactions(funded: readonly string[]): readonly ExecutableTransaction[] {
    const descriptors = [
      mosaicDefinition("nemesis", 1, { divisibility: 6 }),
      mosaicDefinition("nemesis", 2, { divisibility: 3 }),
      supplyChange(CURRENCY, 1_000_000_000_000n),
      supplyChange(HARVESTING, 15_000_000n),
      ...funded.map((name) => transfer(name, [[CURRENCY, FUNDS]])),
      transfer("harvester", [[HARVESTING, 15_000_000n]]),
    ];
    return descriptors.map((descriptor) => this.transaction("nemesis", descriptor));
  }
}

/** A transfer to the account of this name, or to an unresolved address. */
export function transfer(
  recipient: string | Buffer,
  mosaics: readonly (readonly [bigint, bigint])[] = [],
  message: string | Uint8Array = "",
): Descriptor {
  const address = Buffer.isBuffer(recipient) ? recipient : account(recipient).address;
  return {
    type: "transfer_transaction_v1",
    recipientAddress: Uint8Array.from(address),
    mosaics: mosaics.map(([mosaicId, amount]) => ({ mosaicId, amount })),
    message,
  };
}

export function mosaicDefinition(owner: string, nonce: number, change: Record<string, unknown> = {}): Descriptor {
  return {
    type: "mosaic_definition_transaction_v1",
    nonce,
    id: mosaicOf(owner, nonce),
    divisibility: 0,
    flags: "transferable",
    duration: 0n,
    ...change,
  };
}

export function supplyChange(mosaicId: bigint, delta: bigint, action = "increase"): Descriptor {
  return { type: "mosaic_supply_change_transaction_v1", mosaicId, delta, action };
}

function cosignatureOf(name: string): models.Cosignature {
  const cosignature = new models.Cosignature();
  cosignature.signerPublicKey = new models.PublicKey(Uint8Array.from(account(name).publicKey));
  return cosignature;
}

function hexOf(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}

function networkConfig(): NetworkConfig {
  return parseNetworkConfig(
    networkProperties(),
    "[inflation]\nstarting-at-height-1 = 100\nstarting-at-height-1000 = 0\n",
  );
}

/** Text of the `config-network.properties` of these chains, with small limits. */
export function networkProperties(): string {
  const sink = encodeAddress(account("sink").address);
  return `
    [network]
    identifier = testnet
    nemesisSignerPublicKey = ${hexOf(account("nemesis").publicKey)}
    epochAdjustment = 1637848847s
    generationHashSeed = ${hexOf(NETWORK.generationHashSeed)}
    [chain]
    currencyMosaicId = 0x${CURRENCY.toString(16)}
    harvestingMosaicId = 0x${HARVESTING.toString(16)}
    blockGenerationTargetTime = 5s
    blockTimeSmoothingFactor = 3000
    maxBlockFutureTime = 300ms
    importanceGrouping = 20
    importanceActivityPercentage = 5
    maxDifficultyBlocks = 60
    defaultDynamicFeeMultiplier = 1000
    maxTransactionLifetime = 6h
    maxTransactionsPerBlock = 100
    maxMosaicAtomicUnits = 9'000'000'000'000'000
    totalChainImportance = 15'000'000
    minHarvesterBalance = 500
    maxHarvesterBalance = 15'000'000
    minVoterBalance = 50'000
    votingSetGrouping = 40
    maxVotingKeysPerAccount = 2
    minVotingKeyLifetime = 72
    maxVotingKeyLifetime = 26280
    harvestBeneficiaryPercentage = 10
    harvestNetworkPercentage = 5
    harvestNetworkFeeSinkAddressV1 = ${sink}
    harvestNetworkFeeSinkAddress = ${sink}
    [fork_heights]
    totalVotingBalanceCalculationFix = 0
    treasuryReissuance = 0
    strictAggregateTransactionHash = 0
    skipSecretLockUniquenessChecks =
    skipSecretLockExpirations =
    forceSecretLockExpirations =
    [plugin:catapult.plugins.accountlink]
    dummy = to trigger plugin load
    [plugin:catapult.plugins.aggregate]
    maxTransactionsPerAggregate = 3
    maxCosignaturesPerAggregate = 3
    enableStrictCosignatureCheck = false
    enableBondedAggregateSupport = true
    maxBondedTransactionLifetime = 48h
    [plugin:catapult.plugins.lockhash]
    lockedFundsPerAggregate = 10'000'000
    maxHashLockDuration = 2d
    [plugin:catapult.plugins.locksecret]
    maxSecretLockDuration = 30d
    minProofSize = 1
    maxProofSize = 1000
    [plugin:catapult.plugins.metadata]
    maxValueSize = 1024
    [plugin:catapult.plugins.mosaic]
    maxMosaicsPerAccount = 7
    maxMosaicDuration = 3650d
    maxMosaicDivisibility = 6
    mosaicRentalFeeSinkAddressV1 = ${sink}
    mosaicRentalFeeSinkAddress = ${sink}
    mosaicRentalFee = 500
    [plugin:catapult.plugins.multisig]
    maxMultisigDepth = 3
    maxCosignatoriesPerAccount = 2
    maxCosignedAccountsPerAccount = 2
    [plugin:catapult.plugins.namespace]
    maxNameSize = 64
    maxChildNamespaces = 2
    maxNamespaceDepth = 3
    minNamespaceDuration = 1m
    maxNamespaceDuration = 365d
    namespaceGracePeriodDuration = 1m
    reservedRootNamespaceNames = xem, nem
    namespaceRentalFeeSinkAddressV1 = ${sink}
    namespaceRentalFeeSinkAddress = ${sink}
    rootNamespaceRentalFeePerBlock = 1
    childNamespaceRentalFee = 100
    [plugin:catapult.plugins.restrictionaccount]
    maxAccountRestrictionValues = 3
    [plugin:catapult.plugins.restrictionmosaic]
    maxMosaicRestrictionValues = 2
    [plugin:catapult.plugins.transfer]
    maxMessageSize = 1024`;
}
