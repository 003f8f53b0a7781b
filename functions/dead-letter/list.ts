import { listDeadLetters } from '#lib/dead-letter/list.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { deadLetterRoutes } from '#lib/routes/dead-letter-routes.ts';

export const handler = endpoint(deadLetterRoutes.listDeadLetters, async ({ caller, query }) =>
  toPage(query, await listDeadLetters(caller, query)),
);
