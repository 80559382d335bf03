import { checkDatabases } from "../doctor/database-checks.js";
import { describeFinding, type Finding, note } from "../doctor/finding.js";
import { checkBroker, checkCertificate, checkFiles, checkPorts } from "../doctor/machine-checks.js";
import { checkNode } from "../doctor/node-checks.js";
import { parseNodes } from "../parts/parts.js";
import type { Command } from "./command.js";

/** `symbol-gateway doctor` */
export const doctorCommand: Command = {
  description:
    "Checks what a start needs, with the settings of the indexer and the gateway, and says in one line each what is wrong\n" +
    "and what to do: files, certificate, database, each node, ZeroMQ, ports. Takes a few seconds. Creates the certificate\n" +
    "if there is none, as the first start does, and changes nothing else; indexers and gateways that run may lose their\n" +
    "connection to a node for a moment. Exit code 0 if nothing is wrong, 1 otherwise.",
  settings: ["gateway", "database", "node", "INDEXER_METRICS_PORT"],
  finds: ["node"],
  options: { json: { kind: "flag", description: "print JSON: a list of findings" } },
  async run(settings, { json }) {
    const findings: Finding[] = [];
    const report = (found: readonly Finding[]) => {
      findings.push(...found);
      if (!json) for (const one of found) process.stdout.write(`${describeFinding(one)}\n`);
    };
    const [certificate, files, database] = await Promise.all([
      checkCertificate(settings),
      checkFiles(settings),
      checkDatabases(settings),
    ]);
    report([...certificate.findings, ...files.findings, ...database.findings]);
    if (certificate.value) {
      const options = { credentials: certificate.value, resources: files.value, indexed: database.network };
      for (const node of parseNodes(settings)) report(await checkNode(node, options));
    } else {
      report([note("nodes", "not checked, because there is no certificate")]);
    }
    report([await checkBroker(settings)]);
    report(await checkPorts(settings));
    if (json) process.stdout.write(`${JSON.stringify(findings, undefined, 2)}\n`);
    return findings.some(({ level }) => level === "wrong") ? 1 : 0;
  },
};
