// The HTTP+JSON binding (A2A v1.0.1 §11): translates a request to the parameters of a method, and errors to the form of
// AIP-193. Loaded with the first request of the binding.
import { formatSSEErrorEvent } from '@a2a-js/sdk';
import type { Answer } from '#lib/http/answer.ts';
import { type A2ARequest, type Binding, httpContentType as contentType, toAnswer } from './binding.ts';
import { A2ARefusal, a2aErrors, toServiceStatusBody, toStatusBody } from './errors.ts';
import { findOperation, type HttpOperation } from './http-operations.ts';
import { callMethod } from './methods.ts';
import type { CallContext } from './own-task.ts';
import { parseBody, requireProcessable, requireVersion } from './request.ts';

/** Throws only errors that are not part of the protocol. */
export async function serveHttpJson(context: CallContext, request: A2ARequest): Promise<Answer<never>> {
  const match = findOperation(request.method, `/${request.subpath}`);
  if ('allowed' in match) return refuseUnknown(request, match.allowed);
  try {
    requireVersion(request);
    const params = readParams(match.operation, match.params, request);
    const outcome = await callMethod(context, match.operation.method, params);
    return await toAnswer(outcome, httpBinding, context, request);
  } catch (error) {
    if (!(error instanceof A2ARefusal)) throw error;
    return toErrorAnswer(error);
  }
}

const httpBinding: Binding = {
  contentType,
  // The JSON of google.protobuf.Empty, which clients parse.
  result: (result) => result ?? {},
  error: toStatusBody,
  errorEvent: (refusal) => formatSSEErrorEvent(toStatusBody(refusal)),
  unauthenticatedEvent: (detail) =>
    formatSSEErrorEvent(
      toServiceStatusBody({ code: 'unauthenticated', status: 401, title: detail, detail: undefined }),
    ),
};

function toErrorAnswer(refusal: A2ARefusal, headers: Record<string, string> = {}): Answer<never> {
  const { httpStatus: status } = a2aErrors[refusal.reason];
  return { text: JSON.stringify(toStatusBody(refusal)), contentType, status, headers };
}

function refuseUnknown({ method }: A2ARequest, allowed: readonly string[]): Answer<never> {
  if (allowed.length === 0)
    return toErrorAnswer(new A2ARefusal('METHOD_NOT_FOUND', 'There is no such path.'));
  const allow = allowed.join(', ');
  const detail = `The path does not have the method ${method.slice(0, 16)}. It has ${allow}.`;
  return toErrorAnswer(new A2ARefusal('METHOD_NOT_ALLOWED', detail), { allow });
}

/** The body, the query and the path, of which the last wins. */
function readParams(
  { query = {}, hasBody = false }: HttpOperation,
  path: Readonly<Record<string, string>>,
  { rawBody, rawQuery }: A2ARequest,
): unknown {
  const sent = Object.entries(query).flatMap(([name, { type }]) => {
    const values = rawQuery[name] ?? rawQuery[toSnakeCase(name)];
    return values ? [[name, readQueryValue(values, type === 'boolean')] as const] : [];
  });
  const body = hasBody && rawBody !== '' ? parseBody(rawBody) : {};
  requireProcessable({ params: body });
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return { ...body, ...Object.fromEntries(sent), ...path };
}

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Several values are a mistake, which the schema of the parameter finds. */
function readQueryValue(values: readonly string[], isBoolean: boolean): unknown {
  if (values.length !== 1) return values;
  const [value] = values;
  return isBoolean && (value === 'true' || value === 'false') ? value === 'true' : value;
}
