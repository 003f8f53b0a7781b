// Asks a function in this process, as Lambda does, with the cookie of a browser and without a key.
import * as z from 'zod';
import { type OperationId, routes } from '#lib/routes/routes.ts';
import { eventFor, lambdaContext } from './events.ts';

const functionModule = z.object({ handler: z.custom<CallableFunction>() });
const answer = z.looseObject({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  multiValueHeaders: z.record(z.string(), z.array(z.string())).optional(),
  body: z.string(),
});

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** In place of none. */
  readonly key?: string;
}

export async function askInProcess(
  operation: OperationId,
  { headers = {}, query, key }: Options = {},
): Promise<z.infer<typeof answer>> {
  const file = new URL(`../../functions/${routes[operation].entry}.ts`, import.meta.url).href;
  const { handler } = functionModule.parse(await import(/* @vite-ignore */ file));
  const event = eventFor(operation, {
    key: key ?? '',
    headers: { ...(key === undefined && { 'X-API-Key': '' }), ...headers },
    ...(query && { query }),
  });
  return answer.parse(await Reflect.apply(handler, undefined, [event, lambdaContext()]));
}
