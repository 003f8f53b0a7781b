// What feeds a function that no route calls, and what the function may use.
import type { Use } from './route.ts';

export interface EventSource {
  readonly entry: string;
  readonly timeoutSeconds: number;
  readonly uses: readonly Use[];
}

export interface QueueSource extends EventSource {
  /** SQS wants its visibility timeout to be at least six times `timeoutSeconds`. */
  readonly source: 'runQueue' | 'deadLetters' | 'deliveryQueue';
  readonly description: string;
  readonly memoryMegabytes: number;
  readonly batchSize: number;
  /** Batches, which are workers, at work at the same time, 2 to 1000; `tenant`: as the tenant file says. */
  readonly concurrencyMax: number | 'tenant';
  /** Deliveries of a message until SQS moves it to the dead-letter queue; absent: it comes again until it expires. */
  readonly receiveCountMax?: number;
  /** Sends messages to the queue that feeds it, more than the 16 times after which Lambda would step in. */
  readonly feedsItself?: boolean;
  /** Hides messages a short time at once, so that those of a worker that dies come back soon. */
  readonly hides?: boolean;
}
