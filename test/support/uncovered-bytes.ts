import { AGGREGATE, paddingSize, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { embeddedRanges } from "../../catapult/entity/transaction.js";
import { isAggregateType } from "../../catapult/structs/type-names.js";

/** Offsets of the reserved bytes of a header that no hash and no rule covers. */
export function uncoveredInHeader(): readonly number[] {
  return [
    ...range(VERIFIABLE.headerReserved, VERIFIABLE.signature),
    ...range(VERIFIABLE.bodyReserved, VERIFIABLE.version),
  ];
}

/** Offsets of the bytes of a transaction that no hash and no rule covers: reserved ones, and padding. */
export function uncoveredInTransaction(bytes: Buffer): readonly number[] {
  if (!isAggregateType(bytes.readUInt16LE(VERIFIABLE.type))) return uncoveredInHeader();
  const padding = embeddedRanges(bytes).flatMap(({ start, end }) => range(end, end + paddingSize(end - start)));
  return [...uncoveredInHeader(), ...range(AGGREGATE.reserved, AGGREGATE.headerSize), ...padding];
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
