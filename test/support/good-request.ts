// A good request of each route, from the event of its function in `events/`.
import * as z from 'zod';
import type { Route } from '#lib/http/route.ts';
import { readEvent } from './events.ts';

const event = z.object({
  body: z.string().nullable(),
  pathParameters: z.record(z.string(), z.string()).nullable(),
  multiValueQueryStringParameters: z.record(z.string(), z.array(z.string())).nullable(),
});

/** The resource that it names need not exist. */
export function goodRequest(route: Route) {
  const { body, pathParameters, multiValueQueryStringParameters } = event.parse(readEvent(route.entry));
  return {
    ...(body !== null && { text: body }),
    params: pathParameters ?? {},
    query: multiValueQueryStringParameters ?? {},
  };
}
