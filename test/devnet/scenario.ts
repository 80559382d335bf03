import type { FailureName } from "../../catapult/announcement/status-code.js";
import { pause } from "../support/until.js";

/** One transaction of a scenario, and its expected outcome. */
export interface ScenarioStep {
  /** Unique name; that of the recorded chain's `announced.jsonl.gz` if it has the same. */
  readonly name: string;
  readonly payload: Buffer;
  /** 32 bytes. */
  readonly hash: Buffer;
  /** Addresses that its messages always concern: 24 bytes. */
  readonly signerAddress: Buffer;
  /** Announced without these cosignatures (136 bytes each), which follow one by one. */
  readonly cosignatures?: readonly Buffer[];
  /** `ignored`: no message is sent. */
  readonly expected: "confirmed" | "ignored" | FailureName;
}

/** Steps whose confirmed transactions are in one block, if the node creates none meanwhile. */
export interface ScenarioStage {
  readonly title: string;
  /** Minimum height of the chain before. */
  readonly fromHeight?: number;
  /** Blocks created before. */
  readonly blocksBefore?: number;
  readonly steps: readonly ScenarioStep[];
}

/** Access to a network. Each method returns why the transaction was rejected, if that is known at once. */
export interface ScenarioAnnouncer {
  transaction(payload: Buffer): Promise<string | undefined>;
  partial(payload: Buffer): Promise<string | undefined>;
  cosignature(payload: Buffer): Promise<string | undefined>;
}

/** The target of a scenario. */
export interface ScenarioNetwork {
  readonly announcer: ScenarioAnnouncer;
  /**
   * Messages about a transaction until now, in order: `unconfirmed`, `unconfirmedRemoved`, `confirmed`, `partial`,
   * `partialRemoved`, `cosignature` with the first 8 hex digits of its signer's key, or the name of a rejection.
   */
  fateOf(step: ScenarioStep): readonly string[];
  /** Height of the chain as read here. */
  height(): Promise<number>;
  /** Makes sure that blocks are created, and waits until they are read here. */
  mine(blocks: number): Promise<void>;
}

/** The outcome of a step. */
export interface ScenarioResult {
  readonly name: string;
  /** `confirmed`, a rejection, `ignored`, or any other messages. */
  readonly outcome: string;
  /** Why it was rejected at once. */
  readonly rejection?: string;
}

const WAIT_MS = 120_000;
/** How long an ignored transaction must cause no message. */
const SILENCE_MS = 100;

/**
 * Announces the steps of a scenario and waits for their outcomes. Invalid transactions are announced alone: a node
 * may drop those that arrive with them.
 */
export async function runScenario(
  stages: readonly ScenarioStage[],
  network: ScenarioNetwork,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  for (const stage of stages) {
    const { fromHeight = 0, blocksBefore = 0 } = stage;
    await network.mine(Math.max(blocksBefore, fromHeight - (await network.height())));
    results.push(...(await runStage(stage.steps, network)));
  }
  return results;
}

async function runStage(steps: readonly ScenarioStep[], network: ScenarioNetwork): Promise<ScenarioResult[]> {
  const rejections = new Map<ScenarioStep, string>();
  // a repeated announcement has a history
  const before = new Map(steps.map((step) => [step, network.fateOf(step).length]));
  const pending: ScenarioStep[] = [];
  const accepted = () => Promise.all(pending.map((step) => untilFate(step, network, isAccepted)));
  for (const step of steps) {
    const isGood = step.expected === "confirmed";
    if (!isGood) await accepted();
    const rejection = await announce(step, network);
    if (rejection !== undefined) rejections.set(step, rejection);
    else if (isGood) pending.push(step);
    else if (step.expected === "ignored") await pause(SILENCE_MS);
    else await untilFate(step, network, hasEnded);
  }
  await accepted();
  if (pending.length > 0) await network.mine(1);
  await Promise.all(pending.map((step) => untilFate(step, network, hasEnded)));
  return steps.map((step) => {
    const rejection = rejections.get(step);
    const outcome = outcomeOf(network.fateOf(step).slice(before.get(step)));
    return { name: step.name, outcome, ...(rejection !== undefined && { rejection }) };
  });
}

async function announce(step: ScenarioStep, network: ScenarioNetwork): Promise<string | undefined> {
  const { announcer } = network;
  if (!step.cosignatures) return announcer.transaction(step.payload);
  const rejection = await announcer.partial(step.payload);
  if (rejection !== undefined || step.expected !== "confirmed") return rejection;
  await untilFate(step, network, (fate) => fate.includes("partial"));
  for (const cosignature of step.cosignatures) {
    const rejected = await announcer.cosignature(cosignature);
    if (rejected !== undefined) return rejected;
    const word = `cosignature ${cosignature.toString("hex", 8, 12)}`;
    await untilFate(step, network, (fate) => fate.includes(word));
  }
  return undefined;
}

/** Waits for messages about a step; returns without them after a while, since the result shows what is missing. */
async function untilFate(
  step: ScenarioStep,
  network: ScenarioNetwork,
  isEnough: (fate: readonly string[]) => boolean,
): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!isEnough(network.fateOf(step)) && Date.now() < deadline) await pause(3);
}

function hasEnded(fate: readonly string[]): boolean {
  return fate.some((word) => word === "confirmed" || word.startsWith("Failure_"));
}

function isAccepted(fate: readonly string[]): boolean {
  return hasEnded(fate) || fate.includes("unconfirmed");
}

function outcomeOf(fate: readonly string[]): string {
  return fate.find((word) => hasEnded([word])) ?? fate.at(-1) ?? "ignored";
}
