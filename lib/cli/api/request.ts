// Sends requests to the service. The key goes to the URL of its profile only: redirects are not followed.
import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { withProgress } from '../waiting.ts';
import { type Body, type Operation, operations, type Params, type Query, type Result } from './operations.ts';
import { networkFailure, problemFailure } from './problem.ts';
import type { Target } from './target.ts';

interface Sent<Id extends Operation> {
  readonly params?: Params<Id>;
  readonly query?: Query<Id>;
  readonly body?: Body<Id>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** `what` says what fails if it does, such as `Registering the build`. Throws a `CommandFailure`. */
export async function request<Id extends Operation>(
  target: Target,
  id: Id,
  what: string,
  sent: Sent<Id> = {},
): Promise<Answer<Result<Id>>> {
  const response = await open(target, id, what, sent);
  const text = await response.text();
  // The service checks what it answers against the schema of the route.
  return { body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

/** The answer before its body is read. */
export async function open<Id extends Operation>(
  target: Target,
  id: Id,
  what: string,
  { params, query, body, headers = {} }: Sent<Id> = {},
): Promise<Response> {
  const [method = '', path = ''] = operations[id].split(' ');
  return await send(target, what, `${target.url}${fillPath(path, params)}${toQuery(query)}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

/** The longest that the service lets a caller wait is 175 s. */
const answerMs = 180_000;

/** `url` is one of the service. */
export async function send(target: Target, what: string, url: string, init: RequestInit): Promise<Response> {
  const token = await target.authorize();
  const response = await withProgress(
    what,
    fetch(url, {
      ...init,
      headers: {
        accept: '*/*',
        ...Object.fromEntries(new Headers(init.headers)),
        authorization: `Bearer ${token.reveal()}`,
      },
      redirect: 'manual',
      signal: init.signal ?? AbortSignal.timeout(answerMs),
    }),
  ).catch((error: unknown) => {
    throw networkFailure(what, target.url, error);
  });
  if (response.ok) return response;
  if (response.status >= 300 && response.status < 400) throw redirected(what, response);
  const { status, headers } = response;
  throw problemFailure({ what, status, headers, text: await response.text() });
}

const redirected = (what: string, { status, headers }: Response): CommandFailure =>
  new CommandFailure(
    `${what} failed: the service redirects to ${headers.get('location') ?? 'another place'}, which does not get the key.`,
    {
      exitCode: exitCodes.refused,
      members: { what, status, retry: false },
      lines: ['Check the URL of the service.'],
    },
  );

function fillPath(path: string, params: unknown): string {
  const values = new Map(Object.entries(params ?? {}));
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(values.get(name))));
}

/** A list sends the name several times; what is undefined is not sent. */
function toQuery(query: unknown): string {
  const sent = new URLSearchParams();
  for (const [name, values] of Object.entries(query ?? {}))
    for (const value of [values].flat()) if (value !== undefined) sent.append(name, String(value));
  return sent.size === 0 ? '' : `?${sent}`;
}
