import type { z } from "zod";
import { hex } from "../../catapult/entity/hex.js";
import { buildAccount } from "../standard/amounts.js";
import { endpoint } from "../standard/endpoint.js";
import { invalidMember } from "../standard/errors.js";
import { ConstructionPreprocessRequest, type ConstructionPreprocessResponse } from "../standard/schemas.js";
import { sizeOfTransaction } from "./build.js";
import { accountsWithKeys } from "./intent.js";
import { NoMetadata, readStrictly } from "./operation-metadata.js";
import { readOperations } from "./read-operations.js";
import { type CosignatureOptions, PreprocessMetadata, type TransactionOptions } from "./terms.js";

/** What `/construction/metadata` needs to know about the operations, and the accounts whose public keys are needed. */
export const preprocess = endpoint<typeof ConstructionPreprocessRequest, ConstructionPreprocessResponse>({
  path: "/construction/preprocess",
  request: ConstructionPreprocessRequest,
  answer: ({ operations, metadata = {} }, { network }) => {
    const { intent, decimals } = readOperations(operations, network);
    const required_public_keys = accountsWithKeys(intent).map(buildAccount);
    if (intent.kind === "cosignature") {
      readStrictly(NoMetadata, metadata, "metadata");
      const options: z.infer<typeof CosignatureOptions> = { aggregate_hash: hex(intent.aggregateHash) };
      return { options, required_public_keys };
    }
    const choices = readStrictly(PreprocessMetadata, metadata, "metadata");
    if (intent.kind === "hashLock" && choices.aggregate) {
      throw invalidMember("metadata.aggregate", "must be absent: a hash lock is announced on its own");
    }
    const options: TransactionOptions = {
      ...choices,
      size: sizeOfTransaction(intent, choices.aggregate),
      decimals: Object.fromEntries(decimals),
    };
    return { options, required_public_keys };
  },
});
