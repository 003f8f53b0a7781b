import { deadLetterRoutes } from '#lib/api/dead-letter-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { dismissOwn } from '#lib/run/dead-letter/dismiss.ts';

export const handler = endpoint(deadLetterRoutes.dismissDeadLetter, async ({ caller, params, query, at }) => {
  await dismissOwn(caller, query.workspaceid, params.id, at);
  return { empty: true };
});
