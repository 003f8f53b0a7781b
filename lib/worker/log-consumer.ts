// The handler of log subscriptions: unpacks what CloudWatch Logs delivers, which is gzipped JSON in base64.
import { gunzipSync } from 'node:zlib';
import type { CloudWatchLogsEvent, Context } from 'aws-lambda';
import * as z from 'zod';
import { type Log, requestLog } from '#lib/log.ts';

const delivery = z.object({
  /** CloudWatch Logs may send a control message of its own, to see whether anybody is there. */
  messageType: z.enum(['DATA_MESSAGE', 'CONTROL_MESSAGE']),
  logGroup: z.string(),
  logStream: z.string(),
  logEvents: z.array(z.object({ id: z.string(), message: z.string() })),
});

interface Delivery {
  readonly lines: readonly { readonly id: string; readonly message: string }[];
  readonly log: Log;
}

interface Source {
  readonly entry: string;
}

/** `consume` throws to have all lines delivered again, by the retries of asynchronous invocations. */
export function logConsumer(source: Source, consume: (delivery: Delivery) => Promise<void>) {
  return async (event: CloudWatchLogsEvent, context: Context): Promise<void> => {
    const unzipped = gunzipSync(Buffer.from(event.awslogs.data, 'base64')).toString();
    const { messageType, logGroup, logStream, logEvents } = delivery.parse(JSON.parse(unzipped));
    if (messageType === 'CONTROL_MESSAGE') return;
    const log = requestLog({
      request_id: context.awsRequestId,
      route: source.entry,
      log_group: logGroup,
      log_stream: logStream,
    });
    await consume({ lines: logEvents, log });
  };
}
