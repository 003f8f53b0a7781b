// A good request of each route, from the event of its function in events/.
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Route } from '#lib/http/route.ts';

const event = z.object({
  body: z.string().nullable(),
  pathParameters: z.record(z.string(), z.string()).nullable(),
  multiValueQueryStringParameters: z.record(z.string(), z.array(z.string())).nullable(),
});

/** What it is about need not be there. */
export function goodRequest(route: Route) {
  const file = new URL(`../../events/${route.entry}.json`, import.meta.url);
  const { body, pathParameters, multiValueQueryStringParameters } = event.parse(
    JSON.parse(readFileSync(file, 'utf8')),
  );
  return {
    ...(body !== null && { text: body }),
    params: pathParameters ?? {},
    query: multiValueQueryStringParameters ?? {},
  };
}
