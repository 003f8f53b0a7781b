// Calls the API of the service by the operations of its route table. The types are those of the table; the methods and
// paths are generated from it.
import type * as z from 'zod';
import type { Route } from '#lib/http/route.ts';
import type { routes } from '#lib/routes/routes.ts';
import { operations } from './operations.ts';
import { ApiError, readProblem } from './problem.ts';

type Routes = typeof routes;
export type OperationId = keyof typeof operations & keyof Routes;

type PartsOf<Id extends OperationId> =
  Routes[Id] extends Route<infer P, infer Q, infer B, infer R> ? { p: P; q: Q; b: B; r: R } : never;

type Part<Name extends string, Schema> = [Schema] extends [z.ZodUndefined]
  ? { readonly [name in Name]?: never }
  : Schema extends z.ZodType
    ? object extends z.input<Schema>
      ? { readonly [name in Name]?: z.input<Schema> }
      : { readonly [name in Name]: z.input<Schema> }
    : never;

export type CallInput<Id extends OperationId> = Part<'params', PartsOf<Id>['p']> &
  Part<'query', PartsOf<Id>['q']> &
  Part<'body', PartsOf<Id>['b']>;

export type CallOutput<Id extends OperationId> = PartsOf<Id>['r'] extends z.ZodType
  ? z.output<PartsOf<Id>['r']>
  : never;

interface LooseInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Throws an `ApiError` for any answer that is no success. */
export async function call<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options: CallOptions = {},
): Promise<CallOutput<Id>> {
  const response = await send(id, input, options);
  return response.status === 204 ? (undefined as CallOutput<Id>) : await response.json();
}

/** For answers that are not JSON, or whose headers matter. */
export async function send<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  { signal, headers = {} }: CallOptions = {},
): Promise<Response> {
  const { method, path } = operations[id];
  // The schemas of the table are objects of texts.
  const { params = {}, query = {}, body } = input as LooseInput;
  const response = await fetchOrExplain(buildUrl(path, params, query), {
    method,
    credentials: 'same-origin',
    headers: {
      ...(method === 'GET' ? {} : { 'x-session-request': '1' }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (response.ok) return response;
  throw await readProblem(response);
}

/** The address of the service: the console is one folder below it, also where that has the path of a stage. */
export const serviceUrl = (path: string): string => new URL(`..${path}`, document.baseURI).href;

function buildUrl(path: string, params: LooseInput['params'], query: LooseInput['query']): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.[name])));
  const url = new URL(serviceUrl(filled));
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== '') url.searchParams.append(name, String(each));
  return url.href;
}

/** A service that cannot be reached is an `ApiError` too. */
export async function fetchOrExplain(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ApiError({ status: 0, code: 'unreachable', title: 'The service does not answer' });
  }
}
