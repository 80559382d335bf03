import { invalidMember } from "../standard/errors.js";
import type { Operation } from "../standard/schemas.js";

/** An operation of a request, with its name in errors. */
export interface IndexedOperation {
  readonly operation: Operation;
  readonly member: string;
}

/** An operation at its position. @throws MeshError for what no operation of a request may have */
export function withPath(operation: Operation, index: number): IndexedOperation {
  const member = `operations[${index}]`;
  const { operation_identifier: identifier, related_operations: related = [], status, coin_change: coin } = operation;
  if (identifier.index !== index) {
    throw invalidMember(`${member}.operation_identifier.index`, `must be ${index}, the position of the operation`);
  }
  if (identifier.network_index !== undefined) {
    throw invalidMember(`${member}.operation_identifier.network_index`, "must be absent");
  }
  if (related.some((other) => other.index >= index)) {
    throw invalidMember(`${member}.related_operations`, "must be earlier operations");
  }
  if (status !== undefined) {
    throw invalidMember(`${member}.status`, "must be absent: the operation has not happened");
  }
  if (coin !== undefined) throw invalidMember(`${member}.coin_change`, "must be absent: Symbol has no coins");
  return { operation, member };
}

/** @throws MeshError invalidRequest */
export function noAmount({ operation, member }: IndexedOperation): void {
  if (operation.amount) throw invalidMember(`${member}.amount`, "must be absent");
}
