import { EntityError } from "../../catapult/entity/entity-error.js";
import type { MetadataState } from "../../catapult/state/metadata.js";
import { decodeMetalChunk, type MetalSeal, parseMetalId, parseMetalSeal } from "../../catapult/state/metal.js";
import { readMetalChunks } from "../../database/queries/metal-chunks.js";
import { ApiError, invalidArgument, invalidContent } from "../errors/errors.js";
import { builder } from "../graph/builder.js";
import { makeMembers, members } from "../graph/members.js";
import { stateDb } from "../graph/state.js";

/** Maximum number of parts of a file: about 10 MB. */
export const MAX_METAL_CHUNKS = 10_000;

/** A file stored in metadata entries. */
interface MetalFile {
  readonly id: string;
  readonly content: Buffer;
  /** The text stored with the file, decoded as UTF-8; undefined if there is none. */
  readonly text: string | undefined;
  /** Parsed from the text; undefined if that is not a seal. */
  readonly seal: MetalSeal | undefined;
}

const MetalFileType = builder.objectRef<MetalFile>("MetalFile").implement({
  description: "A file stored in metadata entries (Metal). The hash in each part's key is verified.",
  fields: (t) => ({
    ...members(t, {
      id: ["String", "Metal id of the file."],
      text: ["String?", "Text stored with the file."],
    }),
    size: t.int({ description: "Bytes.", resolve: ({ content }) => content.length }),
    ...makeMembers(t, ({ seal }: MetalFile): Partial<MetalSeal> => seal ?? {}, {
      mimeType: ["String?", "MIME type according to the text."],
      name: ["String?", "File name according to the text."],
      comment: ["String?", "Comment according to the text."],
    }),
    content: t.string({
      description: "Content of the file in base64.",
      resolve: ({ content }) => content.toString("base64"),
    }),
  }),
});

builder.queryField("metalFile", (t) =>
  t.field({
    type: MetalFileType,
    nullable: true,
    description: "A file by its Metal id.",
    args: { id: t.arg.string({ description: "Metal id in base58.", required: true }) },
    resolve: async (_root, { id }, context) => {
      const compositeHash = parseMetalId(id);
      if (!compositeHash) throw invalidContent("id", "a Metal id in base58");
      const chunks = await readMetalChunks(await stateDb(context), compositeHash, MAX_METAL_CHUNKS);
      return chunks.length === 0 ? null : join(id, chunks);
    },
  }),
);

/**
 * @throws ApiError ResourceNotFound when a part is missing or does not match its key, InvalidArgument for a file with
 *   too many parts
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
  if (nextKey !== undefined) throw broken(id, `the part after part ${chunks.length} is missing`);
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
  return new ApiError("ResourceNotFound", `no complete file exists with id '${id}': ${problem}`);
}
