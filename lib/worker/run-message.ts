// One delivery from the run queue: run it, put it off, let it come again, or park it in the dead-letter queue with the reason.
import type { Log } from '#lib/log.ts';
import { wakeRun } from '#lib/run/resume.ts';
import { enqueue, park, readMessage, runMessageOf } from '#lib/run/run-queue.ts';
import { runQueued } from './run-queued.ts';

interface Delivery {
  readonly body: string;
  readonly isLastTry: boolean;
  readonly remainingMs: () => number;
  readonly log: Log;
}

export async function runMessage(delivery: Delivery): Promise<void> {
  const reason = await reasonToPark(delivery);
  if (reason === undefined) return;
  await park(delivery.body, reason);
  delivery.log.error('message parked', { reason });
}

/** Undefined when the message is dealt with; throws when it shall come again. */
async function reasonToPark(delivery: Delivery): Promise<string | undefined> {
  const message = readMessage(delivery.body);
  if (!message.success)
    return `The message is malformed: ${message.error.issues.map((issue) => issue.message).join('; ')}`;
  try {
    if (message.data.kind === 'wake') return void (await wakeRun(message.data.triggerId));
    const handled = await runQueued(message.data, delivery);
    if (handled.kind === 'hopeless') return handled.reason;
    // As a message of its own and not by letting this one come again, whose deliveries are counted.
    if (handled.kind === 'later') await enqueue(runMessageOf(handled.run), handled.delayMs);
    return undefined;
  } catch (error) {
    if (!delivery.isLastTry) throw error;
    return `Every try failed, the last with ${error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error'}`;
  }
}
