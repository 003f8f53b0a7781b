// What real DynamoDB and networks do and the engine does not: conflicts of transactions, throttles, lost
// answers, broken connections.
import * as z from 'zod';
import type { Verdict } from '../aws-proxy.ts';

const transaction = z.object({
  ClientRequestToken: z.string().optional(),
  TransactItems: z.array(z.unknown()).optional(),
});

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function disturb(random: () => number): (operation: string, body: Buffer) => Verdict {
  const known = new Set<string>();
  return (operation, body) => {
    const dice = random();
    const { ClientRequestToken: token, TransactItems = [] } = transaction.parse(JSON.parse(body.toString()));
    if (operation === 'TransactGetItems') return dice < 0.1 ? conflict(TransactItems.length) : 'pass';
    if (isSingleWrite(operation) && dice > 0.85) return conflictOfOne;
    if (token === undefined) return dice < 0.02 ? throttle : 'pass';
    // Each transaction once, so that the SDK's own retry, which carries the same token, mostly gets through.
    if (known.has(token)) return dice < 0.02 ? 'lose answer' : 'pass';
    known.add(token);
    return verdictOn(dice, TransactItems.length);
  };
}

function verdictOn(dice: number, actions: number): Verdict {
  if (dice < 0.1) return conflict(actions);
  if (dice < 0.15) return 'lose answer';
  if (dice < 0.18) return throttle;
  return dice < 0.22 ? 'reset' : 'pass';
}

export const throttle: Verdict = {
  status: 400,
  error: {
    __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: 'The level of configured provisioned throughput for the table was exceeded.',
  },
};

const singleWrites = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);
export const isSingleWrite = (operation: string): boolean => singleWrites.has(operation);

/** What a write of one item gets that meets a transaction on it. */
export const conflictOfOne = {
  status: 400,
  error: {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionConflictException',
    message: 'Transaction is ongoing for the item',
  },
} as const satisfies Verdict;

export const conflict = (actions: number): Verdict => ({
  status: 400,
  error: {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    message:
      'Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict]',
    CancellationReasons: Array.from({ length: actions }, (_, n) => ({
      Code: n === 0 ? 'TransactionConflict' : 'None',
    })),
  },
});
