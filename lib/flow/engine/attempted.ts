// The attempts of a visit: one, or as many as the node's `retry` allows for the errors that it names.

import { limits } from '../format/limits.ts';
import { asNodeError, matchesAny, type NodeError } from '../format/node-error.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import { CheckpointError } from './checkpoint.ts';
import type { CompiledNode, Paused, Step } from './node-context.ts';
import { logRetry } from './node-log.ts';
import { type Cursor, type Entered, tryAgain } from './scope.ts';
import { sleep } from './stop.ts';

interface Attempted {
  readonly result: Step | Paused;
  readonly attempt: Attempt;
}

/** No promise for a node that has none: most nodes of most flows only compute paths. */
export function attempted(
  cursor: Cursor,
  node: CompiledNode,
  entered: Entered,
): Attempted | Promise<Attempted> {
  if (node.retry) return retried(cursor, node, entered);
  const attempt = createAttempt(cursor, node, entered);
  const result = node.run(attempt.context);
  return result instanceof Promise ? closing(result, attempt) : { result, attempt };
}

async function closing(result: Promise<Step | Paused>, attempt: Attempt): Promise<Attempted> {
  try {
    return { result: await result, attempt };
  } finally {
    attempt.close();
  }
}

async function retried(cursor: Cursor, node: CompiledNode, entered: Entered): Promise<Attempted> {
  const { max_attempts = 1, on = [] } = node.retry ?? {};
  for (;;) {
    const attempt = createAttempt(cursor, node, entered);
    try {
      return await closing(
        later(() => node.run(attempt.context)),
        attempt,
      );
    } catch (thrown) {
      const error = asNodeError(thrown);
      const isLast = entered.attempt >= max_attempts || thrown instanceof CheckpointError;
      if (isLast || !matchesAny(error.code, on)) throw thrown;
      await delay(cursor, node, entered.attempt, error);
      tryAgain(entered);
    }
  }
}

const later = async <T>(run: () => T | Promise<T>): Promise<T> => await run();

async function delay(cursor: Cursor, node: CompiledNode, attempt: number, error: NodeError): Promise<void> {
  const ms = delayMs(node, attempt);
  logRetry(cursor, node, { attempt, error, ms });
  await sleep(cursor.stop, cursor.run.ports.clock, ms);
}

/** Exponential and without jitter: a resumed run repeats what the first one did. */
function delayMs({ retry }: CompiledNode, attempt: number): number {
  const { delay_ms = 0, backoff = 2, max_delay_ms = limits.delayMsMax } = retry ?? {};
  return Math.round(Math.min(delay_ms * backoff ** (attempt - 1), max_delay_ms, limits.delayMsMax));
}
