import { actOnLetters } from '#lib/dead-letter/act-on-letters.ts';
import { redriveIfPossible } from '#lib/dead-letter/redrive.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { deadLetterRoutes } from '#lib/routes/dead-letter-routes.ts';

export const handler = endpoint(deadLetterRoutes.redriveDeadLetters, async ({ caller, query, body, at }) => ({
  json: await actOnLetters(caller, { ...query, ...body }, (letter) => redriveIfPossible(letter, at)),
}));
