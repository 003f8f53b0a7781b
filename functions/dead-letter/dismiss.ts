import { dismissLetter } from '#lib/dead-letter/dismiss.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { deadLetterRoutes } from '#lib/routes/dead-letter-routes.ts';

export const handler = endpoint(deadLetterRoutes.dismissDeadLetter, async ({ caller, params, query, at }) => {
  await dismissLetter(caller, query.workspaceid, params.id, at);
  return { empty: true };
});
