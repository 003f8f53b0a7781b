// What the service accepted, and how it ended: each run ends once, and each event that cannot be run becomes
// a dead letter with a reason.
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import type { Effects } from '#test/support/effects.ts';
import type { World } from './world.ts';

export interface Acceptance {
  readonly id: string;
  /** The expected end. */
  readonly ends: 'completed' | 'failed' | 'dead letter';
  /** The expected number of outside effects. */
  readonly effects: number;
}

export interface Ledger {
  readonly accept: (acceptance: Acceptance) => void;
  readonly acceptedCount: () => number;
  readonly endedCount: () => number;
  readonly deadLetterCount: () => number;
  readonly reportViolation: (what: string) => void;
  readonly violations: readonly string[];
  /** Checks accepted runs until the signal, so that few are left for the end. */
  readonly follow: (signal: AbortSignal) => Promise<void>;
  /** Called after the load: every run must have ended as expected, and must not change any more. */
  readonly close: () => Promise<void>;
}

/** The interval between two checks of the open runs. */
const settleMs = 200;
const violationsMax = 50;
/** How many of the ended runs are read again at the end. */
const secondLooks = 500;

const state = z.object({ workflow_id: z.string(), status: z.string() });

export function newLedger(world: Pick<World, 'client' | 'workspaceid'>, effects: Effects): Ledger {
  const open = new Map<string, Acceptance>();
  const ended = new Map<string, string>();
  const poisoned = new Set<string>();
  const violations: string[] = [];
  const reportViolation = (what: string) => {
    if (violations.length < violationsMax) violations.push(what);
  };

  /** The answer of the status endpoint. */
  const look = (id: string) => world.client.ask(`/api/v1/ai/trigger/status/${world.workspaceid}/${id}`);

  async function settle(acceptance: Acceptance): Promise<void> {
    const { id } = acceptance;
    const { status, text } = await look(id);
    if (status === 404 || acceptance.ends === 'dead letter') return;
    const run = state.parse(JSON.parse(text));
    if (run.status === 'pending') return;
    open.delete(id);
    ended.set(id, text);
    if (run.status !== acceptance.ends)
      reportViolation(`${id}: expected ${acceptance.ends}, got ${text.slice(0, 500)}`);
    checkEffects(acceptance);
  }

  function checkEffects({ id, effects: expected }: Acceptance): void {
    const calls = [...effects.of(id).values()];
    if (calls.length !== expected || calls.some((count) => count !== 1))
      reportViolation(
        `${id}: expected ${expected} effects with one call each, got the calls ${JSON.stringify(calls)}`,
      );
  }

  async function settleAll(): Promise<void> {
    for (const acceptance of [...open.values()]) await settle(acceptance);
  }

  return {
    accept: (acceptance) => {
      // An event that is sent again is accepted again, as the same.
      if (!ended.has(acceptance.id)) open.set(acceptance.id, acceptance);
      if (acceptance.ends === 'dead letter') poisoned.add(acceptance.id);
    },
    acceptedCount: () => open.size + ended.size,
    endedCount: () => ended.size,
    deadLetterCount: () => poisoned.size,
    reportViolation,
    violations,
    follow: async (signal) => {
      while (!signal.aborted) {
        await settleAll();
        await setTimeout(settleMs);
      }
    },
    close: async () => {
      await settleAll();
      await checkDeadLetters(world, poisoned, reportViolation);
      for (const id of poisoned) open.delete(id);
      for (const { id } of open.values()) reportViolation(`${id} was accepted and has not ended`);
      const step = Math.max(1, Math.floor(ended.size / secondLooks));
      for (const [n, [id, text]] of [...ended].entries())
        if (n % step === 0 && (await look(id)).text !== text) reportViolation(`${id} changed after its end`);
    },
  };
}

const letters = z.object({
  items: z.array(z.object({ workflow_id: z.string().optional(), reason: z.string().min(1) })),
  nextCursor: z.string().optional(),
});

/** The dead letters must be exactly the events that could not be run, each with a reason. */
async function checkDeadLetters(
  { client, workspaceid }: Pick<World, 'client' | 'workspaceid'>,
  poisoned: ReadonlySet<string>,
  reportViolation: (what: string) => void,
): Promise<void> {
  const found = new Set<string | undefined>();
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: URLSearchParams = new URLSearchParams({ workspaceid, ...(cursor && { cursor }) });
    const { text } = await client.ask(`/api/v1/dead-letters?${query}`);
    const page = letters.parse(JSON.parse(text));
    for (const { workflow_id, reason } of page.items) {
      found.add(workflow_id);
      if (!poisoned.has(workflow_id ?? ''))
        reportViolation(`${workflow_id} is an unexpected dead letter: ${reason}`);
    }
    cursor = page.nextCursor;
  }
  for (const id of poisoned)
    if (!found.has(id)) reportViolation(`${id} could not be run and is not a dead letter`);
}
