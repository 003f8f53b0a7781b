// Events that were accepted, the queue that brings them to workers, and what must be true of their runs: at
// every moment, and in the end.
import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { isTransientFailure } from '#lib/aws.ts';
import { requireEnv } from '#lib/env.ts';
import { readEvents, readRun } from '#lib/run/run-items.ts';
import { isFinal, runStatus, withDerived } from '#lib/run/stored-run.ts';
import { acceptEvent } from '#lib/trigger/accept-event.ts';
import { type BodyOf, call } from '../client.ts';
import { idle } from '../control.ts';
import type { Effects } from '../effects.ts';
import type { TestAgent } from '../flows.ts';
import { recordingLog } from '../recording-log.ts';
import { newCaller } from './operations.ts';
import { newRunQueue, type RunQueue } from './queue-of-runs.ts';

export interface Agents {
  /** Calls the outside twice. */
  readonly paying: TestAgent;
  readonly failing: TestAgent;
  /** Its live build is deleted once its events are accepted. */
  readonly leaving: TestAgent;
}
type Kind = keyof Agents;

export interface RunWorld {
  readonly queue: RunQueue;
  /** Bodies that workers parked. */
  readonly parked: string[];
  readonly agents: Agents;
  readonly effects: Effects;
  /** Past the proxies that disturb the others. */
  readonly database: DynamoDBDocumentClient;
  /** The responses to senders, by trigger id. */
  readonly accepted: Map<string, Kind>;
  /** The last that was seen of each run. */
  readonly seen: Map<string, Head>;
}

export const newRunWorld = (
  given: Pick<RunWorld, 'agents' | 'effects' | 'database'>,
  random: () => number,
): RunWorld => ({ ...given, queue: newRunQueue(random), parked: [], accepted: new Map(), seen: new Map() });

/** One event, sent again until it is accepted, and once more: senders do that. */
export async function sendEvent({ agents, accepted }: RunWorld, kind: Kind): Promise<void> {
  const { orgid, id, flowid } = agents[kind];
  const idempotencyKey = crypto.randomUUID();
  const event = { event: 'operation.paid' };
  const sent = { event, idempotencyKey, text: '', signature: noSignature };
  for (let answers = 0; answers < 2; ) {
    try {
      const at = new Date().toISOString();
      const { triggerId } = await acceptEvent(newCaller(orgid, id), flowid, sent, { at, log: silent });
      accepted.set(triggerId, kind);
      answers += 1;
    } catch (error) {
      if (!isTransientFailure(error)) throw error;
    }
  }
}
const silent = recordingLog(() => {});
const noSignature = { id: undefined, timestamp: undefined, signature: undefined };

const head = z.object({
  run_id: z.string(),
  status: runStatus,
  generation: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
});
type Head = z.infer<typeof head>;

async function heads({ accepted, database }: RunWorld): Promise<Head[]> {
  const Keys = [...accepted.keys()].map((id) => ({ pk: `RUN#${id}`, sk: 'HEAD' }));
  const TableName = requireEnv('RUNS_TABLE');
  const { Responses = {} } = await database.send(
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
  );
  return (Responses[TableName] ?? []).map((item) => head.parse(withDerived(item)));
}

/** No run begins again or goes back, and one that is over stays as it is. Answers which are not over. */
export async function checkRuns(world: RunWorld): Promise<string[]> {
  const all = await heads(world);
  for (const now of all) {
    const before = world.seen.get(now.run_id);
    if (before && now.created_at !== before.created_at) throw new Error(`A run began twice: ${now.run_id}`);
    if (before && now.generation < before.generation)
      throw new Error(`A run went back from ${before.generation} to ${now.generation}: ${now.run_id}`);
    if (before && isFinal(before.status) && now.updated_at !== before.updated_at)
      throw new Error(`A run went on after it was ${before.status}: ${now.run_id}`);
    world.seen.set(now.run_id, now);
  }
  return all.filter(({ status }) => !isFinal(status)).map(({ run_id }) => run_id);
}

/** Once nothing is left to do. */
export async function checkOutcome(world: RunWorld): Promise<void> {
  await checkRuns(world);
  const dead = await deadLetters(world);
  for (const [id, kind] of world.accepted) await checkAccepted(world, id, kind, dead);
}

async function checkAccepted(
  { effects }: RunWorld,
  id: string,
  kind: Kind,
  dead: ReadonlyMap<string, string>,
): Promise<void> {
  const run = await readRun(id);
  const isOver = run !== undefined && isFinal(run.status);
  if (!isOver && !dead.get(id)) throw new Error(`Lost: ${id} has neither ended nor a dead letter`);
  const events = await readEvents(id);
  const ends = events.filter(({ status }) => isFinal(status));
  if (!events.every(({ generation }, n) => generation === n + 1)) throw new Error(`A gap in ${id}`);
  if (ends.length !== (isOver ? 1 : 0) || (isOver && events.at(-1) !== ends[0]))
    throw new Error(`${id} has ${ends.length} ends`);
  const count = effects.of(id).size;
  const expected = kind === 'paying' && run?.status === 'completed' ? 2 : 0;
  if (count < expected || count > (kind === 'paying' ? 2 : 0))
    throw new Error(`${id} is ${run?.status} and has ${count} effects`);
}

/** The reason of each, by the run that it is about. */
async function deadLetters({ agents }: RunWorld): Promise<Map<string, string>> {
  await idle();
  const { key, workspaceid } = agents.paying;
  const reasons = new Map<string, string>();
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: Record<string, string> = { workspaceid, limit: '100', ...(cursor && { cursor }) };
    const { items, nextCursor }: BodyOf<'listDeadLetters'> = (await call('listDeadLetters', { key, query }))
      .body;
    for (const { workflow_id = '', reason } of items) reasons.set(workflow_id, reason);
    cursor = nextCursor;
  }
  return reasons;
}
