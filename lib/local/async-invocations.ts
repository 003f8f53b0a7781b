// Lambda's asynchronous invocations: nobody waits for the result; failed events are retried and finally sent
// to the failure destination.
import { randomUUID } from 'node:crypto';
import { accountId, arn } from './account.ts';
import { awsJson } from './aws-json.ts';
import { explain, type Functions } from './lambda.ts';
import type { Sqs } from './sqs.ts';

export type AsyncSettings = {
  readonly functionName: string;
  readonly retriesMax: number;
  /** Receives the events whose attempts all failed. */
  readonly failureQueueName: string | undefined;
};

export type AsyncInvocations = {
  /** Resolves when the first attempt has ended, whatever its outcome. */
  readonly invoke: (functionName: string, event: unknown) => Promise<void>;
  /** Resolves when no function is running; waiting retries do not count. */
  readonly idle: () => Promise<void>;
  /** Starts all waiting retries now. */
  readonly flushDelayed: () => void;
  /** Drops the waiting retries. */
  readonly close: () => void;
};

type Invocation = {
  readonly id: string;
  readonly settings: AsyncSettings;
  readonly event: unknown;
  /** Attempts that have ended. */
  readonly attempts: number;
};
type Host = { readonly functions: Functions; readonly sqs: Sqs; readonly log: (line: string) => void };

/** Lambda waits one minute before the second attempt and two before the third. */
const minuteMillis = 60_000;
const retriesDefault = 2;

export function asyncInvocations(all: readonly AsyncSettings[], host: Host): AsyncInvocations {
  const working = new Set<Promise<void>>();
  const waiting = new Map<Invocation, NodeJS.Timeout>();

  function start(invocation: Invocation): Promise<void> {
    waiting.delete(invocation);
    const work = attempt(invocation).finally(() => working.delete(work));
    working.add(work);
    return work;
  }

  async function attempt(invocation: Invocation): Promise<void> {
    const { settings, event } = invocation;
    try {
      await host.functions.invoke(settings.functionName, event);
    } catch (error) {
      host.log(explain(error));
      const next = { ...invocation, attempts: invocation.attempts + 1 };
      if (next.attempts > settings.retriesMax) return await sendToFailureQueue(next, error, host);
      const timer = setTimeout(() => void start(next), next.attempts * minuteMillis).unref();
      waiting.set(next, timer);
    }
  }

  return {
    invoke: (functionName, event) => {
      const defaults = { functionName, retriesMax: retriesDefault, failureQueueName: undefined };
      const settings = all.find((each) => each.functionName === functionName) ?? defaults;
      return start({ id: randomUUID(), settings, event, attempts: 0 });
    },
    idle: async () => {
      while (working.size > 0) await Promise.all(working);
    },
    flushDelayed: () => {
      for (const [invocation, timer] of waiting) {
        clearTimeout(timer);
        void start(invocation);
      }
    },
    close: () => {
      for (const timer of waiting.values()) clearTimeout(timer);
      if (waiting.size > 0) host.log(`${waiting.size} asynchronous invocations were not retried.`);
    },
  };
}

/** Sends the record that Lambda sends to a failure destination. */
async function sendToFailureQueue(
  { id, settings, event, attempts }: Invocation,
  error: unknown,
  { sqs, log }: Host,
) {
  const { functionName, failureQueueName } = settings;
  if (failureQueueName === undefined) return;
  const record = {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      requestId: id,
      functionArn: `${arn('lambda', `function:${functionName}`)}:$LATEST`,
      condition: 'RetriesExhausted',
      approximateInvokeCount: attempts,
    },
    requestPayload: event,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: { errorMessage: String(error) },
  };
  const QueueUrl = `${sqs.endpoint}/${accountId}/${failureQueueName}`;
  const message = { QueueUrl, MessageBody: JSON.stringify(record) };
  await awsJson(sqs.endpoint, 'AmazonSQS.SendMessage', message).catch((cause) => log(String(cause)));
}
