// The subscriptions of the local CloudWatch Logs: lines that functions print and that match a subscription
// filter are delivered to its function, in order and in batches. No line is stored.
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { accountId } from './account.ts';
import { captureLines } from './function-output.ts';

export type LogSubscription = {
  readonly filterName: string;
  readonly logGroup: string;
  readonly matches: (line: string) => boolean;
  readonly functionName: string;
};

export type LogSubscriptions = {
  /** Resolves when every line has been delivered. */
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type LogEvent = { readonly id: string; readonly timestamp: number; readonly message: string };
type Invoke = (functionName: string, event: unknown) => Promise<void>;

/** Long enough that the response is sent first and that concurrent lines share a delivery. */
const batchingMillis = 10;

export function startLogSubscriptions(
  subscriptions: readonly LogSubscription[],
  invoke: Invoke,
): LogSubscriptions {
  const batches = new Map<LogSubscription, LogEvent[]>();
  let delivery: Promise<void> | undefined;
  let count = 0;

  async function deliver(): Promise<void> {
    await setTimeout(batchingMillis);
    for (const [subscription, events] of batches) {
      batches.delete(subscription);
      await invoke(subscription.functionName, logsEvent(subscription, events));
    }
    delivery = undefined;
  }

  const end = captureLines((logGroup, message) => {
    const subscribers = subscriptions.filter((each) => each.logGroup === logGroup && each.matches(message));
    for (const subscriber of subscribers) {
      count += 1;
      const event = { id: String(count).padStart(56, '0'), timestamp: Date.now(), message };
      batches.set(subscriber, [...(batches.get(subscriber) ?? []), event]);
      delivery ??= deliver();
    }
    return subscribers.length > 0;
  });
  const idle = async () => {
    while (delivery !== undefined) await delivery;
  };
  const close = async () => {
    end();
    await idle();
  };
  return { idle, close };
}

/** The event of the function: gzipped JSON in base64. */
function logsEvent({ logGroup, filterName }: LogSubscription, logEvents: readonly LogEvent[]) {
  const message = {
    messageType: 'DATA_MESSAGE',
    owner: accountId,
    logGroup,
    logStream: 'local',
    subscriptionFilters: [filterName],
    logEvents,
  };
  return { awslogs: { data: gzipSync(JSON.stringify(message)).toString('base64') } };
}

/**
 * The one form of filter pattern that the templates use: a member, such as `$.audit.requestid`, is a string.
 */
const anyString = /^\{\s*\$\.(\w+(?:\.\w+)*)\s*=\s*"\*"\s*\}$/;

/** Compiles a filter pattern of CloudWatch Logs. Throws if it has another form. */
export function parseFilterPattern(pattern: string): (line: string) => boolean {
  const path = anyString.exec(pattern)?.[1]?.split('.');
  if (!path)
    throw new Error(
      `The filter pattern ${pattern} is not supported here; only { $.member.member = "*" } is.`,
    );
  return (line) => typeof path.reduce(member, parseJson(line)) === 'string';
}

function member(value: unknown, name: string): unknown {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isThere ? Reflect.get(value, name) : undefined;
}

function parseJson(line: string): unknown {
  // A cheap check first, because most lines are not JSON objects.
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
