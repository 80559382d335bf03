import type { Body } from "../../catapult/entity/transaction-entity.js";
import { METADATA_TYPE, type MetadataIdentity } from "../../catapult/state/composite-hash.js";
import type { NotificationOf, Notify } from "./notifications.js";
import type { Publishers, RuleBook, ValidationContext } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const PUBLISHERS = {
  account_metadata: (entity, { signerAddress }, notify) => {
    publishValue(entity, signerAddress, METADATA_TYPE.account, 0n, notify);
    notify({ kind: "accountAddress", address: bytesOf(entity.targetAddress) });
  },
  mosaic_metadata: (entity, { signerAddress }, notify) => {
    const mosaicId = entity.targetMosaicId;
    publishValue(entity, signerAddress, METADATA_TYPE.mosaic, mosaicId, notify);
    notify({ kind: "mosaicRequired", owner: bytesOf(entity.targetAddress), mosaicId, flags: 0 });
  },
  namespace_metadata: (entity, { signerAddress }, notify) => {
    const id = entity.targetNamespaceId;
    publishValue(entity, signerAddress, METADATA_TYPE.namespace, id, notify);
    notify({ kind: "namespaceRequired", owner: bytesOf(entity.targetAddress), id });
  },
} satisfies Partial<Publishers>;

/** Metadata of accounts, mosaics and namespaces (catapult `plugins/txes/metadata`). */
export function addMetadataRules(rules: RuleBook) {
  rules.stateless("metadataSizes", ({ size, sizeDelta }, { metadata }) => {
    if (size === 0) return "Failure_Metadata_Value_Too_Small";
    if (Math.abs(sizeDelta) > size) return "Failure_Metadata_Value_Size_Delta_Too_Large";
    return size > metadata.maxValueSize ? "Failure_Metadata_Value_Too_Large" : undefined;
  });
  rules.stateful("metadataValue", (notification, context) => {
    const { sizeDelta, value } = notification;
    const entry = context.tables.metadata.get(resolvedKey(notification, context));
    const currentSize = entry?.value.length ?? 0;
    const expectedSize = sizeDelta > 0 ? value.length - sizeDelta : value.length;
    if (expectedSize !== currentSize) return "Failure_Metadata_Value_Size_Delta_Mismatch";
    if (!entry || sizeDelta >= 0) return undefined;
    const isTrimmable = entry.value.subarray(sizeDelta).equals(value.subarray(sizeDelta));
    return isTrimmable ? undefined : "Failure_Metadata_Value_Change_Irreversible";
  });

  rules.observe("metadataValue", (notification, context) => {
    const key = resolvedKey(notification, context);
    const current = context.tables.metadata.get(key)?.value ?? Buffer.alloc(0);
    const size = notification.value.length + Math.min(notification.sizeDelta, 0);
    const value = Buffer.from(notification.value.subarray(0, size));
    for (let index = 0; index < size; ++index) value[index]! ^= current[index] ?? 0;
    context.tables.metadata.set(key, value);
  });
  return PUBLISHERS;
}

function publishValue(
  entity: Body<"account_metadata" | "mosaic_metadata" | "namespace_metadata">,
  sourceAddress: Buffer,
  metadataType: number,
  targetId: bigint,
  notify: Notify,
): void {
  const value = bytesOf(entity.value);
  const sizeDelta = entity.valueSizeDelta;
  const { scopedMetadataKey } = entity;
  const targetAddress = bytesOf(entity.targetAddress);
  const key = { sourceAddress, targetAddress, scopedMetadataKey, targetId, metadataType };
  notify({ kind: "metadataSizes", size: value.length, sizeDelta });
  notify({ kind: "metadataValue", key, sizeDelta, value });
}

function resolvedKey({ key }: NotificationOf<"metadataValue">, context: ValidationContext): MetadataIdentity {
  const targetId = key.metadataType === METADATA_TYPE.mosaic ? context.resolveMosaic(key.targetId) : key.targetId;
  return { ...key, targetAddress: context.resolveAddress(key.targetAddress), targetId };
}
