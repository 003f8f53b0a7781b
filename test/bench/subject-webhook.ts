// Our webhook as a subject: the handler, in this process as in Lambda, called with one event after the other.
// Its arguments are an API key and the id of a flow that is live.
import * as z from 'zod';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { answer, sayReady } from './answering.ts';
import { costOf, warmUp } from './measure.ts';

const [, , key = '', flowid = ''] = process.argv;
const { handler } = await import('#functions/trigger/accept-webhook.ts');
const answered = z.object({ statusCode: z.literal(202) });

const event = eventFor('acceptWebhook', {
  key,
  params: { flow_id: flowid },
  body: { event: 'message.received', data: { text: 'Where is my order 1042?' } },
});
const accept = async () => {
  // The handler puts other things into its event.
  answered.parse(await handler({ ...event }, context));
};

const context = lambdaContext();

await warmUp(accept, 3_000);
answer({ cost: () => costOf(accept, 500) });
sayReady({});
