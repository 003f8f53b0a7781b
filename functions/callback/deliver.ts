import { deliverPush } from '#lib/a2a/deliver-push.ts';
import { deliverCallback } from '#lib/callback/deliver.ts';
import { queueSources } from '#lib/routes/event-sources.ts';
import { deliveryMessage } from '#lib/run/delivery-queue.ts';
import { queueConsumer } from '#lib/worker/queue-consumer.ts';

export const handler = queueConsumer(queueSources.deliverCallback, async ({ body, ...invocation }) => {
  const message = deliveryMessage.parse(JSON.parse(body));
  if (message.kind === 'callback') await deliverCallback(message, invocation.log);
  else if (message.kind === 'push') await deliverPush(message, invocation);
  else await (await import('#lib/telemetry/export-run.ts')).exportRun(message, invocation.log);
});
