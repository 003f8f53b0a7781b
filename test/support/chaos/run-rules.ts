// How deliveries become runs, and the naive ways that must be found out: a worker that acknowledges whatever
// happens, and stores that leave a condition out. What a store sends is changed on its way, so that all else
// is ours.
import type { Context, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { handler } from '#functions/run/run-queued.ts';
import { context } from '../invocation.ts';
import { batch } from '../runs.ts';
import type { FaultScenario } from './fault-scenarios.ts';
import type { Message } from './queue-of-runs.ts';

export interface RunRules {
  /** Answers which messages are to come again. */
  readonly work: (messages: readonly Message[], remainingMs: number) => Promise<ReadonlySet<string>>;
  /** What DynamoDB sees in place of a command; undefined: the command. */
  readonly change: (operation: string, body: Buffer) => Buffer | undefined;
}

const toRecords = (messages: readonly Message[]) =>
  messages.flatMap(({ id, body, received }) =>
    batch([body], received).Records.map((record) => ({ ...record, messageId: id, receiptHandle: id })),
  );

export const ours: RunRules = {
  work: async (messages, remainingMs) => {
    const { batchItemFailures } = await handler(
      z.custom<SQSEvent>().parse({ Records: toRecords(messages) }),
      z.custom<Context>().parse({ ...context, getRemainingTimeInMillis: () => remainingMs }),
    );
    return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  },
  change: () => undefined,
};

interface RunMutant {
  readonly what: string;
  readonly rules: RunRules;
  /** In which it shows soon. */
  readonly scenarios: readonly FaultScenario[];
  /** What the suite finds. */
  readonly finds: RegExp;
}

export const runMutants: readonly RunMutant[] = [
  {
    what: 'a worker that acknowledges before the run is recorded',
    rules: { ...ours, work: async (...given) => ours.work(...given).then(() => new Set()) },
    scenarios: ['KMS is down'],
    finds: /^Lost: /,
  },
  {
    what: 'a run that is put without the condition that there is none',
    rules: { ...ours, change: withoutCondition('PutItem', 'attribute_not_exists(pk)') },
    scenarios: ['delays'],
    finds: /^(A run (began|went)|A gap in|\S+ has \d ends)/,
  },
  {
    what: 'a runner that writes without holding the lease',
    rules: { ...ours, change: withoutCondition('TransactWriteItems', '#generation = :seen AND ') },
    scenarios: ['delays'],
    finds: /^(A run (began|went)|A gap in|\S+ has \d ends)/,
  },
];

/** The condition is still there, so that its names and values are used, but it always holds. */
function withoutCondition(operation: string, beginning: string): RunRules['change'] {
  const text = `"ConditionExpression":"${beginning}`;
  const always = `"ConditionExpression":"attribute_exists(pk) OR attribute_not_exists(pk) OR ${beginning}`;
  return (asked, body) => {
    const bodyText = body.toString();
    const isRun = asked === operation && bodyText.includes('RUN#') && bodyText.includes(text);
    return isRun ? Buffer.from(bodyText.replace(text, always)) : undefined;
  };
}
