import { endpoint } from '#lib/http/endpoint.ts';
import { triggerRoutes } from '#lib/routes/trigger-routes.ts';
import { acceptEvent } from '#lib/trigger/accept-event.ts';
import { answerEvent } from '#lib/trigger/answer-event.ts';
import { sentEvent } from '#lib/trigger/sent-event.ts';

export const handler = endpoint(triggerRoutes.acceptWebhook, async (request) => {
  const { caller, params } = request;
  const { triggerId, awaited } = await acceptEvent(caller, params.flow_id, await sentEvent(request), request);
  return await answerEvent({ json: { status: 'accepted', triggerId } }, awaited, request);
});
