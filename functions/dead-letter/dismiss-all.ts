import { actOnLetters } from '#lib/dead-letter/act-on-letters.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { deadLetterRoutes } from '#lib/routes/dead-letter-routes.ts';
import { markDismissed } from '#lib/run/dead-letter-items.ts';

export const handler = endpoint(deadLetterRoutes.dismissDeadLetters, async ({ caller, query, body, at }) => ({
  json: await actOnLetters(caller, { ...query, ...body }, ({ id }, scope) => markDismissed(scope, id, at)),
}));
