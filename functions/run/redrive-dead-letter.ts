import { deadLetterRoutes } from '#lib/api/dead-letter-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { redriveOwn } from '#lib/run/dead-letter/redrive-own.ts';

export const handler = endpoint(
  deadLetterRoutes.redriveDeadLetter,
  async ({ caller, params, query, at }) => ({
    json: await redriveOwn(caller, query.workspaceid, params.id, at),
  }),
);
