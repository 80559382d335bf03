import type { FailureName } from "../../catapult/announcement/status-code.js";
import type { AggregateEntity, Body, EmbeddedEntity, EntityHeader } from "../../catapult/entity/transaction-entity.js";
import type { TransactionKind } from "../../catapult/structs/type-names.js";
import type { NetworkConfig } from "../config/network-config.js";
import type { ChainTables } from "../tables/chain-tables.js";
import type { Notification, NotificationOf, Notify } from "./notifications.js";
import type { StatementBuilder } from "./receipts.js";

/** Context of a transaction's publisher besides the transaction. */
export interface PublishContext {
  readonly signerAddress: Buffer;
  readonly signerPublicKey: Buffer;
  /** Height of the block; 0 for an unconfirmed transaction. */
  readonly height: number;
}

export interface ValidationContext {
  readonly tables: ChainTables;
  readonly config: NetworkConfig;
  /** Height of the block that is executed, or of the next one for an unconfirmed transaction. */
  readonly height: number;
  /** Milliseconds since the network's epoch. */
  readonly timestamp: number;
  /** The target of an alias; any other value is returned unchanged. */
  resolveAddress(unresolved: Buffer): Buffer;
  resolveMosaic(unresolved: bigint): bigint;
}

/** Context of observers. Their resolutions are recorded in the block's statement. */
export interface ExecutionContext extends ValidationContext {
  readonly statement: StatementBuilder;
}

type StatelessValidator<N> = (notification: N, config: NetworkConfig) => FailureName | undefined;
type StatefulValidator<N> = (notification: N, context: ValidationContext) => FailureName | undefined;
type Observer<N> = (notification: N, context: ExecutionContext) => void;
type Publisher<K extends TransactionKind> = (
  transaction: EntityHeader & Body<K>,
  context: PublishContext,
  notify: Notify,
) => void;

/** How transactions are published, top-level or embedded, by kind; aggregates have a function of their own. */
export type Publishers = { readonly [K in Exclude<TransactionKind, AggregateEntity["kind"]>]: Publisher<K> };

/** The rules of all plugins: how each type of transaction is published, and its validators and observers. */
export class RuleBook {
  readonly config: NetworkConfig;
  #publishers: { readonly [kind: string]: unknown } = {};
  readonly #stateless = new Map<string, StatelessValidator<Notification>[]>();
  readonly #stateful = new Map<string, StatefulValidator<Notification>[]>();
  readonly #observers = new Map<string, Observer<Notification>[]>();

  constructor(config: NetworkConfig) {
    this.config = config;
  }

  /** Adds how transactions of some kinds are published. */
  publish(publishers: Partial<Publishers>): void {
    this.#publishers = { ...this.#publishers, ...publishers };
  }

  stateless<K extends Notification["kind"]>(kind: K, validator: StatelessValidator<NotificationOf<K>>): void {
    append(this.#stateless, kind, validator as StatelessValidator<Notification>);
  }

  stateful<K extends Notification["kind"]>(kind: K, validator: StatefulValidator<NotificationOf<K>>): void {
    append(this.#stateful, kind, validator as StatefulValidator<Notification>);
  }

  observe<K extends Notification["kind"]>(kind: K, observer: Observer<NotificationOf<K>>): void {
    append(this.#observers, kind, observer as Observer<Notification>);
  }

  /** Publishes the notifications of a transaction's type. Throws a RangeError if the type is unknown. */
  publishEntity(entity: EmbeddedEntity, context: PublishContext, notify: Notify): void {
    const publisher = this.#publishers[entity.kind] as Publisher<TransactionKind> | undefined;
    if (!publisher || entity.kind === "unknown")
      throw new RangeError(`unknown transaction type ${entity.type.toString(16)}`);
    publisher(entity, context, notify);
  }

  /** The first failure of the stateless validators, if any. */
  checkStateless(notification: Notification): FailureName | undefined {
    for (const validator of this.#stateless.get(notification.kind) ?? []) {
      const failure = validator(notification, this.config);
      if (failure) return failure;
    }
    return undefined;
  }

  /** The first failure of the stateful validators, if any. */
  checkStateful(notification: Notification, context: ValidationContext): FailureName | undefined {
    for (const validator of this.#stateful.get(notification.kind) ?? []) {
      const failure = validator(notification, context);
      if (failure) return failure;
    }
    return undefined;
  }

  /**
   * The first failure of all validators for a notification of a block, if any: blocks have no other check by rules.
   * The hash over embedded transactions is not among them: it is verified with the other hashes of the block.
   */
  checkInBlock(notification: Notification, context: ValidationContext): FailureName | undefined {
    if (notification.kind === "aggregateEmbedded") return undefined;
    return this.checkStateless(notification) ?? this.checkStateful(notification, context);
  }

  execute(notification: Notification, context: ExecutionContext): void {
    for (const observer of this.#observers.get(notification.kind) ?? []) observer(notification, context);
  }
}

function append<T>(lists: Map<string, T[]>, kind: string, item: T): void {
  const list = lists.get(kind);
  if (list) list.push(item);
  else lists.set(kind, [item]);
}
