import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeExtensions } from "../../cli/parts/extensions.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { signedPayload } from "../support/devnet.js";
import { RestStack } from "../support/rest-stack.js";
import { checkHealth, commandsProblem } from "../support/shoestring.js";
import { skip } from "../support/skipped.js";

const run = promisify(execFile);
const PYTHON = "python3";
const NAME = "Shoestring's commands and symbol-lightapi";

/** What the bridge of symbol/product asks of a block, and what it keeps of the answer. */
const LIGHTAPI = `
import asyncio, json, sys
from symbollightapi.connector.SymbolConnector import SymbolConnector
from symbolchain.CryptoTypes import PublicKey
async def main(url, key, height):
    connector = SymbolConnector(url)
    links = await connector.account_links(PublicKey(key))
    block = await connector.post('block', {
        'network_identifier': {'blockchain': 'Symbol', 'network': 'testnet'},
        'block_identifier': {'index': height},
    })
    changes = [
        [operation['account']['address'], int(operation['amount']['value'])]
        for transaction in block['block']['transactions'] for operation in transaction['operations']
        if 'transfer' == operation['type'] and 'success' == operation['status']
    ]
    print(json.dumps({
        'height': await connector.chain_height(),
        'finalized': await connector.finalized_chain_height(),
        'time': (await connector.network_time()).timestamp,
        'currency': await connector.currency_mosaic_id(),
        'peers': len(await connector.peers()),
        'linked': links.linked_public_key is not None,
        'changes': changes,
    }))
asyncio.run(main(*sys.argv[1:]))
`;

if (commandsProblem) skip(NAME, commandsProblem);
else
  describe(NAME, () => {
    let stack: RestStack;
    let folder: string;

    beforeAll(async () => {
      folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-shoestring-"));
      stack = await RestStack.start({
        populate: ({ devnet }) => devnet.harvest(2),
        gateway: {
          compatibility: "catapult-rest",
          extensions: makeExtensions({ MESH_PATH: "/", COMPATIBILITY: "catapult-rest" }),
        },
      });
    });
    afterAll(async () => {
      await stack?.stop();
      rmSync(folder, { recursive: true });
    });

    test("all health agents of a full API node pass", async () => {
      const { devnet } = stack.node;
      const resources = path.join(folder, "userconfig", "resources");
      cpSync(devnet.resourcesDirectory, resources, { recursive: true });
      const properties = path.join(resources, "config-node.properties");
      const own = readFileSync(properties, "utf8")
        .replace(/^host\s*=.*$/m, "host = localhost")
        .replace(/^port\s*=.*$/m, `port = ${devnet.port}`);
      writeFileSync(properties, own);
      writeFileSync(
        path.join(folder, "userconfig", "rest.json"),
        JSON.stringify({ port: Number(new URL(stack.url).port) }),
      );
      const certificates = path.join(folder, "keys", "cert");
      mkdirSync(path.dirname(certificates));
      cpSync(path.join(stack.node.directory, "tls"), certificates, { recursive: true });
      const authority = readFileSync(path.join(certificates, "ca.cert.pem"));
      const authorityKey = new X509Certificate(authority).publicKey.export({ format: "pem", type: "spki" });
      writeFileSync(path.join(certificates, "ca.crt.pem"), authority);
      writeFileSync(path.join(certificates, "ca.pubkey.pem"), authorityKey);
      cpSync(path.join(certificates, "node.crt.pem"), path.join(certificates, "node.full.crt.pem"));
      const harvesting = setInterval(() => void devnet.harvest(1), 500);
      try {
        const said = await checkHealth(folder);
        for (const agent of ["rest", "websocket", "peer API"]) expect(said.text).toMatch(new RegExp(agent, "i"));
        // The agent of certificates wants files that only Shoestring writes.
        expect(said.problems.filter((line) => !/certificate|\.pem/.test(line))).toEqual([]);
      } finally {
        clearInterval(harvesting);
      }
    });

    test("symbol-lightapi reads the chain, and the changes of a block as the bridge does", async () => {
      const { devnet } = stack.node;
      const [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
      devnet.announce(signedPayload(devnet, alice, { recipientAddress: bob.address, amount: 123n }));
      await devnet.harvest(1);
      const height = devnet.height;
      await stack.caughtUp();
      const { stdout } = await run(PYTHON, [
        "-c",
        LIGHTAPI,
        stack.url,
        alice.publicKey.toString("hex"),
        String(height),
      ]);
      const read = JSON.parse(stdout) as Record<string, unknown> & { readonly changes: [string, number][] };
      expect(read).toMatchObject({ height, currency: Number(devnet.currencyMosaicId), linked: expect.any(Boolean) });
      expect(read.changes.map(([, value]) => value)).toEqual(expect.arrayContaining([-123, 123]));
    });
  });
