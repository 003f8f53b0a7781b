import { redriveOwnLetter } from '#lib/dead-letter/redrive.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { deadLetterRoutes } from '#lib/routes/dead-letter-routes.ts';

export const handler = endpoint(
  deadLetterRoutes.redriveDeadLetter,
  async ({ caller, params, query, at }) => ({
    json: await redriveOwnLetter(caller, query.workspaceid, params.id, at),
  }),
);
