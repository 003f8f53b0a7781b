// `http`: sends one request to a host that the flow declares. A response whose status it does not accept is the
// error `http.<status>`, which `retry` and `catch` can match.
import * as z from 'zod';
import { lazy, lazyModule } from '#lib/lazy.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { ruled } from '../format/notes.ts';
import {
  checkRequest,
  requestFields,
  requestRules,
  requestTemplates,
  selectTemplate,
} from './http-request.ts';
import type { NodeChecks, NodeType } from './node-type.ts';
import { prepareLater } from './prepare-later.ts';

/** Sends the requests of nodes. Agents load theirs with themselves. */
export const requests = lazyModule(() => import('./run-http.ts'));

export const httpSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z.strictObject({ type: z.literal('http'), ...everyNode(), ...onward(), ...requestFields() }).meta({
      description:
        'One HTTP request; the output is `{status, headers, body}`, and a status that `accept` does not list is an error.',
    }),
    requestRules(),
  ),
);

type HttpNode = z.infer<ReturnType<typeof httpSchema>>;

export const httpChecks: NodeChecks<HttpNode> = {
  templatesInside: ({ select = null }) => [{ path: [selectTemplate], value: select, names: ['body'] }],
  check: checkRequest,
};

export const http: NodeType<HttpNode> = {
  templates: requestTemplates,
  uses: ({ url, connection }) => ({ urls: [url], connections: connection === undefined ? [] : [connection] }),
  prepare: prepareLater(requests),
};
