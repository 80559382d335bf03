import type { FailureName } from "../../catapult/announcement/status-code.js";

/** One transaction of a scenario, and what must become of it. */
export interface ScenarioStep {
  /** Unlike any other; that of the recorded chain's `announced.jsonl.gz` where it has the same. */
  readonly name: string;
  readonly payload: Buffer;
  /** 32 bytes. */
  readonly hash: Buffer;
  /** Whom its messages concern in any case: 24 bytes. */
  readonly signerAddress: Buffer;
  /** Announced to wait for these cosignatures (136 bytes each), which then come one by one. */
  readonly cosignatures?: readonly Buffer[];
  /** `ignored`: nobody hears of it. */
  readonly expected: "confirmed" | "ignored" | FailureName;
}

/** Steps of which those that are confirmed stand in one block, if the node makes none meanwhile. */
export interface ScenarioStage {
  readonly title: string;
  /** The chain must have at least this height before. */
  readonly fromHeight?: number;
  /** Blocks made before. */
  readonly blocksBefore?: number;
  readonly steps: readonly ScenarioStep[];
}

/** The way into a network. Each answers why it was not taken, if whoever takes it can say so at once. */
export interface ScenarioAnnouncer {
  transaction(payload: Buffer): Promise<string | undefined>;
  partial(payload: Buffer): Promise<string | undefined>;
  cosignature(payload: Buffer): Promise<string | undefined>;
}

/** What a scenario runs on. */
export interface ScenarioNetwork {
  readonly announcer: ScenarioAnnouncer;
  /**
   * What has been heard of a transaction until now, in order: `unconfirmed`, `unconfirmedRemoved`, `confirmed`, `partial`,
   * `partialRemoved`, `cosignature` with the first 8 hex digits of its signer's key, or the name of a refusal.
   */
  fateOf(step: ScenarioStep): readonly string[];
  /** Height of the chain as it is read here. */
  height(): Promise<number>;
  /** Sees to it that blocks are made, and waits until they are read here. */
  mine(blocks: number): Promise<void>;
}

/** What became of a step. */
export interface ScenarioResult {
  readonly name: string;
  /** `confirmed`, a refusal, `ignored`, or what else was heard. */
  readonly outcome: string;
  /** Why it was not even taken. */
  readonly rejection?: string;
}

const WAIT_MS = 20_000;
/** How long nothing must be heard of what is ignored. */
const SILENCE_MS = 100;

/**
 * Announces the steps of a scenario and waits for what becomes of them. What is to be refused is announced alone: a node
 * may drop what comes together with it.
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
  // what is announced again has a past
  const heardBefore = new Map(steps.map((step) => [step, network.fateOf(step).length]));
  const pending: ScenarioStep[] = [];
  const accepted = () => Promise.all(pending.map((step) => heard(step, network, isAccepted)));
  for (const step of steps) {
    const isGood = step.expected === "confirmed";
    if (!isGood) await accepted();
    const rejection = await announce(step, network);
    if (rejection !== undefined) rejections.set(step, rejection);
    else if (isGood) pending.push(step);
    else if (step.expected === "ignored") await silence();
    else await heard(step, network, isOver);
  }
  await accepted();
  if (pending.length > 0) await network.mine(1);
  await Promise.all(pending.map((step) => heard(step, network, isOver)));
  return steps.map((step) => {
    const rejection = rejections.get(step);
    const outcome = outcomeOf(network.fateOf(step).slice(heardBefore.get(step)));
    return { name: step.name, outcome, ...(rejection !== undefined && { rejection }) };
  });
}

async function announce(step: ScenarioStep, network: ScenarioNetwork): Promise<string | undefined> {
  const { announcer } = network;
  if (!step.cosignatures) return announcer.transaction(step.payload);
  const rejection = await announcer.partial(step.payload);
  if (rejection !== undefined || step.expected !== "confirmed") return rejection;
  await heard(step, network, (fate) => fate.includes("partial"));
  for (const cosignature of step.cosignatures) {
    const refused = await announcer.cosignature(cosignature);
    if (refused !== undefined) return refused;
    const word = `cosignature ${cosignature.toString("hex", 8, 12)}`;
    await heard(step, network, (fate) => fate.includes(word));
  }
  return undefined;
}

/** Waits until something was heard of a step; gives up after a while, for the result tells what is missing. */
async function heard(
  step: ScenarioStep,
  network: ScenarioNetwork,
  isEnough: (fate: readonly string[]) => boolean,
): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!isEnough(network.fateOf(step)) && Date.now() < deadline) await new Promise((done) => setTimeout(done, 3));
}

function silence(): Promise<void> {
  return new Promise((done) => setTimeout(done, SILENCE_MS));
}

function isOver(fate: readonly string[]): boolean {
  return fate.some((word) => word === "confirmed" || word.startsWith("Failure_"));
}

function isAccepted(fate: readonly string[]): boolean {
  return isOver(fate) || fate.includes("unconfirmed");
}

function outcomeOf(fate: readonly string[]): string {
  return fate.find((word) => isOver([word])) ?? fate.at(-1) ?? "ignored";
}
