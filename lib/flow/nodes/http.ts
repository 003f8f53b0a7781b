// `http`: sends one request to a host that the flow declares. A response whose status it does not accept is the
// error `http.<status>`, which `retry` and `catch` can match.
import * as z from 'zod';
import { isDeeperThan } from '#lib/json/depth.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { lazy } from '#lib/lazy.ts';
import { truncateToJsonBytes } from '#lib/truncate.ts';
import { asText } from '../expression/text.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { ruled } from '../format/notes.ts';
import type { HttpAnswer } from '../ports/http.ts';
import { type Exchange, prepareExchange } from './http-exchange.ts';
import {
  checkRequest,
  requestFields,
  requestRules,
  requestTemplates,
  selectTemplate,
} from './http-request.ts';
import type { NodeType } from './node-type.ts';

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

export const http: NodeType<HttpNode> = {
  templates: requestTemplates,
  templatesInside: ({ select = null }) => [{ path: [selectTemplate], value: select, names: ['body'] }],
  check: checkRequest,
  uses: ({ url, connection }) => ({ urls: [url], connections: connection === undefined ? [] : [connection] }),
  prepare: (node, around) => {
    const run = prepareExchange(node, around);
    return async (context) => {
      const exchange = await run(context, context.at, context.idempotencyKey);
      const { sent, answer, isAccepted } = exchange;
      const note = `${sent.method} ${URL.parse(sent.url)?.host ?? ''} answered ${answer.status}`;
      if (!isAccepted) throw toError(exchange, note);
      return { output: { ...answer }, note };
    };
  },
};

function toError({ answer, retryAfter }: Exchange, note: string): NodeError {
  const { status, headers } = answer;
  const response = { status, headers, ...boundedBody(answer) };
  return new NodeError(`http.${status}`, `${note}.`, { response, retryAfter });
}

/** A body that is too large, or would be too deep inside the error, is the beginning of its text. */
function boundedBody({ body }: HttpAnswer): JsonObject {
  const { errorResponseBytes: bytes, valueDepth } = limits;
  if (jsonBytes(body, bytes) <= bytes && !isDeeperThan(body, valueDepth - errorLevels)) return { body };
  return { body: truncateToJsonBytes(asText(body), bytes), is_truncated: true };
}

/** `nodes.<id>` is `{error: {response: {body}}}`. */
const errorLevels = 3;
