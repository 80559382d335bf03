import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { assembleBlock } from "../../devnet/chain/block-assembly.js";
import { readBlockPosition } from "../../devnet/chain/block-layout.js";
import { createNemesis } from "../../devnet/chain/nemesis.js";
import { decodeDevnetTransaction } from "../../devnet/chain/transaction.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { createNetwork } from "../../devnet/network/network.js";
import { DEFAULT_RULES } from "../../devnet/network/settings.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { nextDifficulty } from "../../ledger/header/difficulty.js";
import { generateTransfer } from "./generated-transactions.js";
import { quickSigner } from "./quick-signer.js";

const MESSAGE_BYTES = 1_024;
const BLOCK_MS = 30_000;
const RECIPIENTS = 100;

/** A network whose second block has about `bytes` bytes: transfers, by default with the longest message that is allowed. */
export function generateLargeBlock(bytes: number, messageBytes = MESSAGE_BYTES) {
  const keys = deriveDevnetKeys("large block");
  const rules = { ...DEFAULT_RULES, maxTransactionsPerBlock: 1_000_000 };
  const network = createNetwork(keys, rules);
  const state = new ChainState(network.config);
  const nemesis = createNemesis(network, keys, state);
  const parent = readBlockPosition(nemesis.block);
  const [user] = keys.users;
  const signer = quickSigner(user!.signer.privateKey);
  const recipients = Array.from({ length: RECIPIENTS }, (_, index) =>
    addressOfPublicKey(Buffer.alloc(32, index + 1), rules.networkIdentifier),
  );
  const transfer = (index: number) =>
    generateTransfer(
      {
        signer,
        recipient: recipients[index % RECIPIENTS]!,
        mosaics: [{ id: network.currencyMosaicId, amount: 1n }],
        message: Buffer.alloc(messageBytes, `${index} `),
        maxFee: 0n,
        deadline: 2 * BLOCK_MS,
      },
      network.identity,
    );
  const count = Math.floor(bytes / transfer(0).length);
  const large = assembleBlock(
    {
      height: 2,
      timestamp: BLOCK_MS,
      difficulty: nextDifficulty([parent], rules),
      previousBlockHash: nemesis.hash,
      previousGenerationHash: nemesis.generationHash,
      previousImportanceBlockHash: nemesis.hash,
      feeMultiplier: 0,
      transactions: Array.from({ length: count }, (_, index) =>
        decodeDevnetTransaction(transfer(index), network.identity),
      ),
      signer: keys.remote,
      vrf: keys.vrf,
      beneficiaryAddress: recipients[0]!,
    },
    rules,
    state,
  );
  const blocks = [nemesis, large].map(({ block, statement }) => ({ block, statement }));
  return { network, blocks, transactions: count };
}

/** A new folder with the rules of a network, for `CATAPULT_RESOURCES`. */
export async function writeResources(properties: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "symbol-gateway-resources-"));
  for (const [name, text] of Object.entries(properties)) await writeFile(join(folder, name), text);
  return folder;
}
