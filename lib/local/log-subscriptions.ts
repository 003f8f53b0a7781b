// The local CloudWatch Logs, as far as anybody subscribes to it: lines that functions print and a subscription filter wants are delivered
// to its function, soon, in order, and as many at once as have gathered. It keeps no line.
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

/** Long enough that the answer of the request goes first, and that those at the same time share a delivery. */
const gatheringMillis = 10;

export function startLogSubscriptions(
  subscriptions: readonly LogSubscription[],
  invoke: Invoke,
): LogSubscriptions {
  const gathered = new Map<LogSubscription, LogEvent[]>();
  let delivery: Promise<void> | undefined;
  let count = 0;

  async function deliver(): Promise<void> {
    await setTimeout(gatheringMillis);
    for (const [subscription, events] of gathered) {
      gathered.delete(subscription);
      await invoke(subscription.functionName, logsEvent(subscription, events));
    }
    delivery = undefined;
  }

  const end = captureLines((logGroup, message) => {
    const takers = subscriptions.filter((each) => each.logGroup === logGroup && each.matches(message));
    for (const taker of takers) {
      count += 1;
      const event = { id: String(count).padStart(56, '0'), timestamp: Date.now(), message };
      gathered.set(taker, [...(gathered.get(taker) ?? []), event]);
      delivery ??= deliver();
    }
    return takers.length > 0;
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

/** What Lambda hands to a function: gzipped JSON in base64. */
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
