// A request and its response, as `http` nodes and tools of agents have them: which statuses are accepted, which
// headers are kept, and which part of the body is selected.
import type { Json } from '#lib/json/json.ts';
import type { Calls } from '../engine/node-context.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { typedTemplate } from '../expression/template.ts';
import type { HttpAnswer, HttpRequest } from '../ports/http.ts';
import type { RequestFields } from './http-request.ts';
import type { Surroundings } from './node-type.ts';
import { prepareRequest } from './prepare-request.ts';

export interface Exchange {
  readonly sent: HttpRequest;
  /** Its body is the selected part if the status is accepted, and `null` if it was saved. */
  readonly answer: HttpAnswer;
  readonly isAccepted: boolean;
  readonly retryAfter: string | undefined;
}

type RunExchange = (calls: Pick<Calls, 'http'>, at: RenderAt, idempotencyKey: string) => Promise<Exchange>;

export function prepareExchange(fields: RequestFields, around: Surroundings): RunExchange {
  const { accept, select, response_headers } = fields;
  const request = prepareRequest(fields, around);
  const selectBody = select === undefined ? undefined : prepareSelect(select);
  return async (calls, at, idempotencyKey) => {
    const sent = await request(at, idempotencyKey);
    const { status, headers, body, file } = await calls.http(sent);
    const isAccepted = accepts(status, accept);
    const selected = isAccepted && selectBody ? await selectBody(body, at) : body;
    const retryAfter = headers['retry-after'];
    return {
      sent,
      answer: {
        status,
        headers: pickHeaders(headers, response_headers),
        body: selected,
        ...(file !== undefined && { file }),
      },
      isAccepted,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
  };
}

const accepts = (status: number, accept: RequestFields['accept'] = ['2xx']): boolean =>
  accept.some((one) => one === status || one === `${Math.trunc(status / 100)}xx`);

function prepareSelect(select: string): (body: Json, at: RenderAt) => Json | Promise<Json> {
  const render = typedTemplate(select);
  return (body, at) => render({ ...at, scope: { ...at.scope, body } });
}

/** In the order in which the flow names them. */
function pickHeaders(headers: HttpAnswer['headers'], names: readonly string[] | undefined) {
  if (!names) return headers;
  const kept = names.map((name) => name.toLowerCase()).filter((name) => Object.hasOwn(headers, name));
  return Object.fromEntries(kept.map((name) => [name, headers[name] ?? '']));
}
