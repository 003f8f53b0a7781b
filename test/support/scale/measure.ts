// What a run of a flow of one node uses of AWS, by the way in which it is started: its calls and units, and which
// partitions of DynamoDB all runs of one caller share.
import { readRow } from '#lib/registry/row/row-items.ts';
import { livePostingKeys } from '#lib/registry/search-index/live-postings.ts';
import { newMessage } from '../a2a.ts';
import { triggerParams } from '../automation-costs.ts';
import { type Cost, cost, messageCost, type Options } from '../call-cost.ts';
import { newCaller } from '../caller.ts';
import type { MeteredCall } from '../capacity-meter.ts';
import { liveAgent, type TestAgent } from '../flows.ts';
import { webhookMessage } from '../runs.ts';
import { findUse, type PartitionUse } from './partition-use.ts';

/** A partition that each run of one caller uses, with the units of one run. */
export interface SharedPartition {
  /** As docs/data-model.md writes it, such as `WAITERS#{org}`; of an index with its name. */
  readonly name: string;
  readonly readUnits: number;
  readonly writeUnits: number;
}

export interface RunUse extends Cost {
  readonly shared: readonly SharedPartition[];
}

export type StartedBy = 'trigger' | 'message' | 'event';

type Start = (agent: TestAgent) => Promise<Cost>;

const request =
  (operation: Parameters<typeof cost>[0], toOptions: (agent: TestAgent) => Options): Start =>
  async (agent) =>
    await cost(operation, agent, toOptions(agent));

const starts: Readonly<Record<StartedBy, Start>> = {
  trigger: request('triggerFlow', (agent) => ({
    params: triggerParams(agent, agent.flowid),
    body: { message: 'hello' },
  })),
  message: request('callLiveAgent', ({ flowid: flowId }) => ({
    params: { flowId },
    body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: newMessage('hello') } },
  })),
  event: async (agent) => {
    const options = { params: { flow_id: agent.flowid }, body: { event: 'ping' } };
    const accepted = await cost('acceptWebhook', agent, options);
    return add(accepted, await messageCost('runQueued', JSON.stringify(webhookMessage(agent))));
  },
};

function add(one: Cost, other: Cost): Cost {
  const sum = (member: keyof Cost) => one[member] + other[member];
  return {
    dynamodb: sum('dynamodb'),
    kms: sum('kms'),
    sqs: sum('sqs'),
    lambda: sum('lambda'),
    signatures: sum('signatures'),
    readUnits: sum('readUnits'),
    writeUnits: sum('writeUnits'),
  };
}

export interface Recorder {
  readonly watch: (call: MeteredCall) => Promise<void>;
  /** Since it was called last. */
  readonly take: () => readonly PartitionUse[];
}

export function createRecorder(): Recorder {
  let uses: PartitionUse[] = [];
  return {
    watch: async (call) => {
      uses.push(...(await findUse(call)));
    },
    take: () => {
      const taken = uses;
      uses = [];
      return taken;
    },
  };
}

/** Enough to know which partitions runs share. */
const repetitions = 3;

export async function measureRun(startedBy: StartedBy, recorder: Recorder): Promise<RunUse> {
  const agent = await liveAgent({}, await newCaller());
  const start = starts[startedBy];
  // Fills the caches of the process.
  await start(agent);
  const runs: (readonly PartitionUse[])[] = [];
  let spent: Cost | undefined;
  for (let n = 0; n < repetitions; n++) {
    recorder.take();
    spent = await start(agent);
    runs.push(recorder.take());
  }
  if (!spent) throw new Error('Nothing was measured.');
  return { ...spent, shared: findShared(runs, agent) };
}

function findShared(runs: readonly (readonly PartitionUse[])[], agent: TestAgent): SharedPartition[] {
  const [last = []] = runs.slice(-1);
  const id = ({ index, key }: PartitionUse) => JSON.stringify([index, key]);
  const isShared = (use: PartitionUse) => runs.every((run) => run.some((other) => id(other) === id(use)));
  const shared = Map.groupBy(last.filter(isShared), (use) => nameOf(use, agent));
  const partitions = [...shared].map(([name, uses]) => ({
    name,
    readUnits: uses.reduce((sum, { readUnits }) => sum + readUnits, 0),
    writeUnits: uses.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
  }));
  // The engine lists indexes in any order.
  return partitions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** With what its ids are of, instead of the ids. */
function nameOf({ index, key }: PartitionUse, agent: TestAgent): string {
  const { orgid, workspaceid, flowid, a2aregistryid, id } = agent;
  const ids = { org: orgid, ws: workspaceid, flow: flowid, build: a2aregistryid, key: id };
  const named = Object.entries(ids).reduce((text, [what, value]) => text.replaceAll(value, `{${what}}`), key);
  return index === 'table' ? named : `${index}: ${named}`;
}

/** Bytes of the postings by which searches find a live agent with one skill: how many, and of one on average. */
export async function measurePostings(): Promise<{ readonly count: number; readonly bytes: number }> {
  const { a2aregistryid } = await liveAgent();
  const row = await readRow(a2aregistryid);
  const keys = row ? livePostingKeys(row) : [];
  const total = keys.reduce((sum, { pk, sk }) => sum + Buffer.byteLength(`pk${pk}sk${sk}`), 0);
  return { count: keys.length, bytes: Math.ceil(total / keys.length) };
}
