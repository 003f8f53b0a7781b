import { deadLetterRoutes } from '#lib/api/dead-letter-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pageOf } from '#lib/api/page.ts';
import { listDeadLetters } from '#lib/run/dead-letter/list.ts';

export const handler = endpoint(deadLetterRoutes.listDeadLetters, async ({ caller, query }) =>
  pageOf(query, await listDeadLetters(caller, query)),
);
