// Lambda's asynchronous invocations: nobody waits for the answer, what fails is tried again, and in the end
// goes to the failure destination.
import { randomUUID } from 'node:crypto';
import { accountId, arn } from './account.ts';
import { awsJson } from './aws-json.ts';
import { explain, type Functions } from './lambda.ts';
import type { Sqs } from './sqs.ts';

export type AsyncSettings = {
  readonly functionName: string;
  readonly retriesMax: number;
  /** Where an event goes that failed with every try. */
  readonly failureQueueName: string | undefined;
};

export type AsyncInvocations = {
  /** Resolves when the first try is over, however it ended. */
  readonly invoke: (functionName: string, event: unknown) => Promise<void>;
  /** Resolves when no function is at work; retries that wait do not count. */
  readonly idle: () => Promise<void>;
  /** Makes all retries that wait due now. */
  readonly flushDelayed: () => void;
  /** Forgets the retries that wait. */
  readonly close: () => void;
};

type Invocation = {
  readonly id: string;
  readonly settings: AsyncSettings;
  readonly event: unknown;
  /** Tries that are over. */
  readonly tries: number;
};
type Host = { readonly functions: Functions; readonly sqs: Sqs; readonly log: (line: string) => void };

/** Lambda waits a minute before the second try, and two before the third. */
const minuteMillis = 60_000;
const retriesUsual = 2;

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
      const next = { ...invocation, tries: invocation.tries + 1 };
      if (next.tries > settings.retriesMax) return await setAside(next, error, host);
      const timer = setTimeout(() => void start(next), next.tries * minuteMillis).unref();
      waiting.set(next, timer);
    }
  }

  return {
    invoke: (functionName, event) => {
      const usual = { functionName, retriesMax: retriesUsual, failureQueueName: undefined };
      const settings = all.find((each) => each.functionName === functionName) ?? usual;
      return start({ id: randomUUID(), settings, event, tries: 0 });
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
      if (waiting.size > 0) host.log(`${waiting.size} asynchronous invocations end before their retry.`);
    },
  };
}

/** The record that Lambda sends to a failure destination. */
async function setAside({ id, settings, event, tries }: Invocation, error: unknown, { sqs, log }: Host) {
  const { functionName, failureQueueName } = settings;
  if (failureQueueName === undefined) return;
  const record = {
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      requestId: id,
      functionArn: `${arn('lambda', `function:${functionName}`)}:$LATEST`,
      condition: 'RetriesExhausted',
      approximateInvokeCount: tries,
    },
    requestPayload: event,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: { errorMessage: String(error) },
  };
  const QueueUrl = `${sqs.endpoint}/${accountId}/${failureQueueName}`;
  const message = { QueueUrl, MessageBody: JSON.stringify(record) };
  await awsJson(sqs.endpoint, 'AmazonSQS.SendMessage', message).catch((cause) => log(String(cause)));
}
