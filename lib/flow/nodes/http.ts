// `http`: sends one request to a host that the flow declares. A response that is not 2xx is the error
// `http.<status>`, which `retry` and `catch` can match.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { ruled } from '../format/notes.ts';
import type { HttpAnswer, HttpRequest } from '../ports/http.ts';
import {
  checkRequest,
  prepareRequest,
  requestFields,
  requestRules,
  requestTemplates,
} from './http-request.ts';
import type { NodeType } from './node-type.ts';

export const httpSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z.strictObject({ type: z.literal('http'), ...everyNode(), ...onward(), ...requestFields() }).meta({
      description:
        'One HTTP request; the output is `{status, headers, body}`, and any status but 2xx is an error.',
    }),
    requestRules(),
  ),
);

type HttpNode = z.infer<ReturnType<typeof httpSchema>>;

export const http: NodeType<HttpNode> = {
  templates: requestTemplates,
  check: checkRequest,
  uses: ({ url, connection }) => ({ urls: [url], connections: connection === undefined ? [] : [connection] }),
  prepare: (node, around) => {
    const request = prepareRequest(node, around);
    return async (context) => {
      const sent = await request(context.at, context.idempotencyKey);
      return toStep(sent, await context.http(sent));
    };
  },
};

function toStep({ method, url }: HttpRequest, { status, headers, body }: HttpAnswer) {
  const host = URL.parse(url)?.host ?? '';
  const note = `${method} ${host} answered ${status}`;
  if (status >= 200 && status < 300) return { output: { status, headers, body }, note };
  throw new NodeError(`http.${status}`, `${note}.`);
}
