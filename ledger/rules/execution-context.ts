import { decodeNamespaceId, isAliasAddress, isAliasMosaic } from "../../catapult/entity/address.js";
import type { NetworkConfig } from "../config/network-config.js";
import type { ChainTables } from "../tables/chain-tables.js";
import { StatementBuilder } from "./receipts.js";
import type { ExecutionContext, ValidationContext } from "./rule-book.js";

/**
 * The context for validators of block `height`.
 *
 * @param timestamp ms since the network's epoch.
 */
export function createValidationContext(
  tables: ChainTables,
  config: NetworkConfig,
  height: number,
  timestamp: number,
): ValidationContext {
  return {
    tables,
    config,
    height,
    timestamp,
    resolveAddress: (unresolved) => resolveAddress(tables, unresolved),
    resolveMosaic: (unresolved) => resolveMosaic(tables, unresolved),
  };
}

/** The context for observers: their resolutions are recorded in a statement, which is empty at first. */
export function createExecutionContext(context: ValidationContext): ExecutionContext {
  const statement = new StatementBuilder();
  const { tables, config, height, timestamp } = context;
  // Not spread: that makes a slow object of every block's context.
  return {
    tables,
    config,
    height,
    timestamp,
    statement,
    resolveAddress: (unresolved) => {
      const resolved = context.resolveAddress(unresolved);
      if (resolved !== unresolved && !resolved.equals(unresolved)) statement.addAddressResolution(unresolved, resolved);
      return resolved;
    },
    resolveMosaic: (unresolved) => {
      const resolved = context.resolveMosaic(unresolved);
      if (resolved !== unresolved) statement.addMosaicResolution(unresolved, resolved);
      return resolved;
    },
  };
}

function resolveAddress({ namespaces }: ChainTables, unresolved: Buffer): Buffer {
  if (!isAliasAddress(unresolved)) return unresolved;
  const alias = namespaces.findAlias(decodeNamespaceId(unresolved));
  return alias.kind === "address" ? alias.address : unresolved;
}

function resolveMosaic({ namespaces }: ChainTables, unresolved: bigint): bigint {
  if (!isAliasMosaic(unresolved)) return unresolved;
  const alias = namespaces.findAlias(unresolved);
  return alias.kind === "mosaic" ? alias.mosaicId : unresolved;
}
