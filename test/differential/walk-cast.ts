import { decodeNamespaceId, encodeAliasAddress, isAliasAddress } from "../../catapult/entity/address.js";
import type { TransactionContent } from "../../catapult/entity/transaction-writer.js";
import type { ChainTables } from "../../ledger/tables/chain-tables.js";
import type { SeededRandom } from "../support/seeded-random.js";
import { CURRENCY_NAMESPACE } from "./walk-nemesis.js";
import type { Party, WalkNetwork } from "./walk-network.js";

/** One effect by its signer; in an aggregate with those who have to agree. */
export interface Draw {
  readonly signer: Party;
  readonly content: TransactionContent;
  readonly agreeing?: readonly Party[];
  /** Whether nodes accept it only in an aggregate. */
  readonly isEmbeddedOnly?: boolean;
}

/** A namespace that an account tried to register. */
export interface KnownNamespace {
  readonly id: bigint;
  readonly owner: Party;
  /** 1 for a root. */
  readonly depth: number;
}

/** A mosaic that an account tried to define. */
export interface KnownMosaic {
  readonly id: bigint;
  readonly owner: Party;
  readonly nonce: number;
}

/** What a secret lock needs to be unlocked. */
export interface KnownSecret {
  readonly recipient: Buffer;
  readonly secret: Buffer;
  readonly algorithm: number;
  readonly proof: Buffer;
}

/** Items that are remembered: older ones make room. */
const MEMORY = 60;
const ACCOUNTS = 44;
/** At most this many blocks pass until an announcement is in one, or never will be. */
const PENDING_BLOCKS = 10;

/** The accounts and artefacts of a walk, and random choices among them, for which the newest are the likeliest. */
export class WalkCast {
  readonly network: WalkNetwork;
  readonly random: SeededRandom;
  readonly namespaces: KnownNamespace[] = [];
  readonly mosaics: KnownMosaic[] = [];
  readonly secrets: KnownSecret[] = [];
  #tables: (() => ChainTables) | undefined;
  readonly #parties = new Map<string, Party>();
  readonly #accounts: Party[] = [];
  readonly #zeroKeys = new Map<string, number>();
  #created = 0;

  constructor(network: WalkNetwork, random: SeededRandom) {
    this.network = network;
    this.random = random;
    for (let index = 0; index < ACCOUNTS; ++index) this.replaceAccount();
  }

  /** The state after the newest block. @throws Error before `follow` */
  get tables(): ChainTables {
    if (!this.#tables) throw new Error("The cast does not follow a chain yet");
    return this.#tables();
  }

  /** @param tables returns the state after the newest block */
  follow(tables: () => ChainTables): void {
    this.#tables = tables;
  }

  get accounts(): readonly Party[] {
    return this.#accounts;
  }

  /** Adds an account that is not on the chain; one of the older ones leaves when there are too many. @returns the new one */
  replaceAccount(): Party {
    const party = this.know(this.network.party(`walker ${this.#created++}`));
    this.#accounts.push(party);
    if (this.#accounts.length > ACCOUNTS) this.#accounts.splice(this.random.below(ACCOUNTS / 2), 1);
    return party;
  }

  /** Remembers the keys of an address, so that its account can sign. */
  know(party: Party): Party {
    this.#parties.set(party.address.toString("hex"), party);
    return party;
  }

  /** The party with this address, if it is one of the walk's. */
  partyOf(address: Buffer): Party | undefined {
    return this.#parties.get(address.toString("hex"));
  }

  /** Notes that a key of zeros is linked. */
  noteZeroKey({ address }: Party, kind: string, height: number): void {
    this.#zeroKeys.set(`${kind} ${address.toString("hex")}`, height);
  }

  /** Whether a key of zeros may not be in a block yet: until it is, no other one is linked. */
  isZeroKeyPending({ address }: Party, kind: string, height: number): boolean {
    const linkedAt = this.#zeroKeys.get(`${kind} ${address.toString("hex")}`);
    return linkedAt !== undefined && linkedAt + PENDING_BLOCKS > height;
  }

  chance(percent: number): boolean {
    return this.random.below(100) < percent;
  }

  /** From `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.random.below(max - min + 1);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)]!;
  }

  /** One of the list, half the time one of the last eight. */
  recent<T>(items: readonly T[]): T | undefined {
    if (items.length === 0) return undefined;
    return this.chance(50) ? this.pick(items.slice(-8)) : this.pick(items);
  }

  /** Some of the list without repetition. */
  some<T>(items: readonly T[], count: number): T[] {
    return [...new Set(Array.from({ length: count }, () => this.pick(items)))];
  }

  bytes(length: number): Buffer {
    return this.random.bytes(length);
  }

  /** Keeps an artefact for later draws. */
  remember<T>(list: T[], item: T): T {
    list.push(item);
    if (list.length > MEMORY) list.shift();
    return item;
  }

  account(): Party {
    return this.pick(this.#accounts);
  }

  /** The owner of an artefact, seldom another account. */
  ownerOf({ owner }: { readonly owner: Party }): Party {
    return this.chance(95) ? owner : this.account();
  }

  /** A namespace, mostly one that is there, with its owner of now. */
  namespace(): KnownNamespace | undefined {
    const { namespaces } = this.tables;
    const there = this.namespaces.filter(({ id }) => namespaces.rootOf(id));
    const found = this.recent(there.length > 0 && this.chance(93) ? there : this.namespaces);
    const owner = found && this.partyOf(namespaces.rootOf(found.id)?.ownerAddress ?? found.owner.address);
    return found && owner ? { ...found, owner } : found;
  }

  /** A mosaic, mostly one that is there. */
  mosaic(isWanted: (flags: number) => boolean = () => true): KnownMosaic | undefined {
    const { mosaics } = this.tables;
    const there = this.mosaics.filter(({ id }) => {
      const found = mosaics.get(id);
      return found && isWanted(found.flags);
    });
    return this.recent(there.length > 0 && this.chance(95) ? there : this.mosaics);
  }

  /** An address of an account, of a new one, or of a namespace. */
  address(): Buffer {
    const { voters, harvesters, sinks } = this.network;
    const choice = this.random.below(100);
    if (choice < 22) return this.alias();
    if (choice < 25) return this.network.party(`stranger ${this.random.below(200)}`).address;
    if (choice < 27) return this.pick(harvesters).account.address;
    if (choice < 28) return (this.pick(harvesters).remote ?? this.pick(voters).account).address;
    if (choice < 29) return this.pick(sinks).address;
    return this.account().address;
  }

  /** The address of a namespace, which mostly names an account; or did until it ended. */
  alias(): Buffer {
    const { namespaces } = this.tables;
    const linked = this.namespaces.filter(({ id }) => namespaces.findAlias(id).kind === "address");
    const known = linked.length > 0 && this.chance(90) ? linked : this.namespaces;
    return encodeAliasAddress(this.recent(known)?.id ?? CURRENCY_NAMESPACE, this.network.identity.identifier);
  }

  /** The address of an account, for an alias that of the account it names now. */
  resolved(address: Buffer): Buffer {
    if (!isAliasAddress(address)) return address;
    const alias = this.tables.namespaces.findAlias(decodeNamespaceId(address));
    return alias.kind === "address" ? alias.address : address;
  }

  /** An id of the currency, of a mosaic, or of a namespace; with an owner mostly of what it has. */
  mosaicId(owner?: Party): bigint {
    const { currencyMosaicId, harvestingMosaicId } = this.network;
    const choice = this.random.below(100);
    if (choice < 25) return currencyMosaicId;
    if (choice < 30) return harvestingMosaicId;
    if (choice < 45) return CURRENCY_NAMESPACE;
    if (choice < 48) return this.recent(this.namespaces)?.id ?? CURRENCY_NAMESPACE;
    const owned = [...((owner && this.tables.accounts.get(owner.address)?.balances) ?? [])];
    if (owned.length > 0 && this.chance(92)) {
      const { id } = this.pick(owned);
      const known = this.mosaics.find((mosaic) => mosaic.id === id);
      return known ? this.idOf(known) : id;
    }
    return this.mosaic()?.id ?? currencyMosaicId;
  }

  /** The id of a mosaic itself, or an alias that names it. */
  idOf(mosaic: KnownMosaic): bigint {
    if (this.chance(85)) return mosaic.id;
    const { namespaces } = this.tables;
    const named = this.namespaces.find(({ id }) => {
      const alias = namespaces.findAlias(id);
      return alias.kind === "mosaic" && alias.mosaicId === mosaic.id;
    });
    return named?.id ?? mosaic.id;
  }

  balance(party: Party, mosaicId = this.network.currencyMosaicId): bigint {
    return this.tables.accounts.get(party.address)?.balances.get(mosaicId)?.amount ?? 0n;
  }
}
