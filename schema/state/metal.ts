import { EntityError } from "../../catapult/entity/entity-error.js";
import type { MetadataState } from "../../catapult/state/metadata.js";
import { decodeMetalChunk, type MetalSeal, parseMetalId, parseMetalSeal } from "../../catapult/state/metal.js";
import { readMetalChunks } from "../../database/queries/metal-chunks.js";
import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";
import { stateDb } from "../graph/state.js";
import { ApiError, invalidArgument, invalidContent } from "../services/errors.js";

/** Parts that a file may have: about 10 MB. */
export const MAX_METAL_CHUNKS = 10_000;

/** A file that is kept in metadata entries. */
interface MetalFile {
  readonly id: string;
  readonly content: Buffer;
  /** What stands beside it, read as UTF-8; undefined for none. */
  readonly text: string | undefined;
  /** Made of the text; undefined when that is no seal. */
  readonly seal: MetalSeal | undefined;
}

const MetalFileType = builder.objectRef<MetalFile>("MetalFile").implement({
  description: "A file that is kept in metadata entries (Metal). Each part's hash is its key, and was checked.",
  fields: (t) => ({
    id: t.exposeString("id", { description: "Its Metal id." }),
    size: t.int({ description: "Bytes.", resolve: ({ content }) => content.length }),
    text: t.string({ nullable: true, description: "What stands beside the file.", resolve: ({ text }) => text }),
    mimeType: t.string({ nullable: true, description: "As the text says.", resolve: ({ seal }) => seal?.mimeType }),
    name: t.string({ nullable: true, description: "As the text says.", resolve: ({ seal }) => seal?.name }),
    comment: t.string({ nullable: true, description: "As the text says.", resolve: ({ seal }) => seal?.comment }),
    content: t.string({ description: "The file in base64.", resolve: ({ content }) => content.toString("base64") }),
  }),
});

builder.queryField("metalFile", (t) =>
  t.field({
    type: MetalFileType,
    extensions: heavy,
    nullable: true,
    description: "A file by its Metal id.",
    args: { id: t.arg.string({ description: "In base58.", required: true }) },
    resolve: async (_root, { id }, context) => {
      const compositeHash = parseMetalId(id);
      if (!compositeHash) throw invalidContent("id", "a Metal id in base58");
      const chunks = await readMetalChunks(await stateDb(context), compositeHash, MAX_METAL_CHUNKS);
      return chunks.length === 0 ? null : join(id, chunks);
    },
  }),
);

/**
 * @throws ApiError ResourceNotFound when a part is missing or not what its key says, InvalidArgument for a file with too
 *   many parts
 */
function join(id: string, chunks: readonly MetadataState[]): MetalFile {
  const payloads: Buffer[] = [];
  const texts: Buffer[] = [];
  let nextKey: bigint | undefined;
  for (const { scopedMetadataKey, value } of chunks) {
    const chunk = decode(id, scopedMetadataKey, value);
    payloads.push(chunk.payload);
    texts.push(chunk.text);
    nextKey = chunk.nextKey;
  }
  if (nextKey !== undefined && chunks.length === MAX_METAL_CHUNKS) {
    throw invalidArgument(`the file '${id}' has more than ${MAX_METAL_CHUNKS} parts`);
  }
  if (nextKey !== undefined) throw broken(id, `the part behind part ${chunks.length} is missing`);
  const text = Buffer.concat(texts).toString("utf8");
  const hasText = text !== "";
  return {
    id,
    content: Buffer.concat(payloads),
    text: hasText ? text : undefined,
    seal: hasText ? parseMetalSeal(text) : undefined,
  };
}

function decode(id: string, key: bigint, value: Buffer) {
  try {
    return decodeMetalChunk(key, value);
  } catch (error) {
    if (error instanceof EntityError) throw broken(id, `a part's ${error.message}`);
    throw error;
  }
}

function broken(id: string, problem: string): ApiError {
  return new ApiError("ResourceNotFound", `no whole file exists with id '${id}': ${problem}`);
}
