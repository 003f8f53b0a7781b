// Runs an `http` node. Loaded with the first flow that has one.
import { isDeeperThan } from '#lib/json/depth.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { truncateToJsonBytes } from '#lib/truncate.ts';
import type { RunNode } from '../engine/node-context.ts';
import { asText } from '../expression/text.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { HttpAnswer } from '../ports/http.ts';
import { type Exchange, prepareExchange } from './http-exchange.ts';
import type { RequestFields } from './http-request.ts';
import type { Surroundings } from './node-type.ts';

export function prepareRun(fields: RequestFields, around: Surroundings): RunNode {
  const run = prepareExchange(fields, around);
  return async (context) => {
    const exchange = await run(context, context.at, context.idempotencyKey);
    const { sent, answer, isAccepted } = exchange;
    const note = `${sent.method} ${URL.parse(sent.url)?.host ?? ''} answered ${answer.status}`;
    if (!isAccepted) throw toError(exchange, note);
    const { body, file, ...head } = answer;
    return { output: { ...head, ...(file === undefined ? { body } : { file }) }, note };
  };
}

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
