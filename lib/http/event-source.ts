// Event sources: what invokes a function that no route calls, and what the function may use.
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
  /** Concurrent batches, and so workers, 2 to 1000; `tenant` takes the number from the tenant file. */
  readonly concurrencyMax: number | 'tenant';
  /**
   * Deliveries of a message until SQS moves it to the dead-letter queue; without a limit it is delivered
   * until it expires.
   */
  readonly receiveCountMax?: number;
  /**
   * Sends messages to its own queue, more than the 16 times after which Lambda's recursion detection would
   * stop it.
   */
  readonly feedsItself?: boolean;
  /**
   * Extends short visibility timeouts, so that the messages of a worker that dies are delivered again soon.
   */
  readonly hides?: boolean;
}
