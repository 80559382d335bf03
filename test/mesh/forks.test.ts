import { expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { BlockResponse, EventsBlocksResponse, NetworkStatusResponse } from "../../mesh/standard/schemas.js";
import { MeshClient } from "../support/mesh-client.js";
import { RestStack } from "../support/rest-stack.js";

const stack = RestStack.use({ gateway: { extensions: makeExtensions({ MESH_PATH: "/mesh" }) } });
const mesh = new MeshClient(stack);

/** The chain that the events from the first one on build up: hashes by height, from 1. */
async function chainOfEvents(limit: number): Promise<string[]> {
  const chain: string[] = [];
  for (let offset = 0; ; ) {
    const { events, max_sequence } = await mesh.ask<EventsBlocksResponse>("/events/blocks", { offset, limit });
    for (const { sequence, type, block_identifier: block } of events) {
      expect(sequence).toBe(offset);
      offset += 1;
      if (type === "block_removed") expect([block.index, block.hash]).toEqual([chain.length, chain.pop()]);
      else expect(chain.push(block.hash)).toBe(block.index);
    }
    if (offset > max_sequence) return chain;
  }
}

test("the events of blocks rebuild the chain, through forks; removed blocks are not found", async () => {
  const { devnet } = stack.node;
  await devnet.harvest(6);
  await stack.caughtUp();
  const removed: { index: number; hash: string }[] = [];
  for (const [back, blocks] of [
    [1, 1],
    [3, 5],
    [4, 4],
    [2, 7],
  ] as const) {
    for (let index = devnet.height - back + 1; index <= devnet.height; index += 1) {
      removed.push({ index, hash: devnet.block(index).hash.toString("hex").toUpperCase() });
    }
    devnet.fork({ from: devnet.height - back, blocks });
    await stack.caughtUp();
    await devnet.harvest(1);
    await stack.caughtUp();
  }
  const hashes = Array.from({ length: devnet.height }, (_, place) =>
    devnet
      .block(place + 1)
      .hash.toString("hex")
      .toUpperCase(),
  );
  expect(await chainOfEvents(1_000)).toEqual(hashes);
  expect(await chainOfEvents(3)).toEqual(hashes);

  const { max_sequence, events } = await mesh.ask<EventsBlocksResponse>("/events/blocks", { limit: 2 });
  expect(max_sequence).toBe(devnet.height + 2 * removed.length - 1);
  expect(events.map(({ sequence }) => sequence)).toEqual([max_sequence - 1, max_sequence]);
  const after = await mesh.ask<EventsBlocksResponse>("/events/blocks", { offset: max_sequence + 1 });
  expect(after).toEqual({ max_sequence, events: [] });

  for (const block_identifier of removed) {
    for (const path of ["/block", "/account/balance"]) {
      const account_identifier = { address: addressOf(0) };
      const error = await mesh.fail(path, { block_identifier, account_identifier });
      expect(error).toMatchObject({ code: 7, retriable: true, details: block_identifier });
    }
  }
  const { block } = await mesh.ask<BlockResponse>("/block", { block_identifier: {} });
  const status = await mesh.ask<NetworkStatusResponse>("/network/status");
  expect(block?.block_identifier).toEqual(status.current_block_identifier);
  expect(block?.block_identifier).toEqual({ index: devnet.height, hash: hashes.at(-1) });
});

const addressOf = (place: number) => encodeAddress(stack.node.devnet.accounts[place]!.address);
