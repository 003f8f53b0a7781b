// `http`: one request to a host the flow declared. An answer that is not 2xx is the error `http.<status>`, so that retry and catch see it.
import * as z from 'zod';
import { NodeError } from '../format/node-error.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { ruled } from '../format/notes.ts';
import type { HttpAnswer, HttpRequest } from '../ports/http.ts';
import {
  checkRequest,
  preparedRequest,
  requestFields,
  requestRules,
  requestTemplates,
} from './http-request.ts';
import { defineNode } from './node-type.ts';

export const http = defineNode({
  schema: () =>
    ruled(
      z.strictObject({ type: z.literal('http'), ...everyNode(), ...onward(), ...requestFields() }),
      requestRules(),
    ),
  templates: requestTemplates,
  check: checkRequest,
  uses: ({ url, connection }) => ({ urls: [url], connections: connection === undefined ? [] : [connection] }),
  prepare: (node, around) => {
    const request = preparedRequest(node, around);
    return async (context) => {
      const asked = await request(context.at, context.idempotencyKey);
      return stepOf(asked, await context.http(asked));
    };
  },
});

function stepOf({ method, url }: HttpRequest, { status, headers, body }: HttpAnswer) {
  const host = URL.parse(url)?.host ?? '';
  const note = `${method} ${host} answered ${status}`;
  if (status >= 200 && status < 300) return { output: { status, headers, body }, note };
  throw new NodeError(`http.${status}`, `${note}.`);
}
