// Parses requests, of JSON-RPC 2.0 (A2A v1.0.1 §9.3) and of the other bindings, or throws the error that the
// specification defines.
import type * as z from 'zod';
import { boundedParse } from '#lib/json/bounded-parse.ts';
import { faultIn } from '#lib/json/guard.ts';
import { readJsonText } from '#lib/json/parse.ts';
import { addMistake, type MistakeList, newMistakeList } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import { describeIssue, describeIssues } from '#lib/zod-messages.ts';
import { type A2AErrorName, A2ARefusal, a2aErrors, type JsonRpcId } from './errors.ts';
import { jsonRpcRequest, requestId } from './params.ts';

type JsonRpcRequest = z.output<typeof jsonRpcRequest>;

export function parseBody(body: string): unknown {
  const read = readJsonText(body);
  if (read.isJson) return read.value;
  throw new A2ARefusal('PARSE_ERROR', `The body is not JSON: ${read.reason}.`);
}

/**
 * The id of a request, even of an invalid one, for the error response; null if there is no id that can be
 * returned.
 */
export function readId(value: unknown): JsonRpcId {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  if (typeof id === 'string' && !id.isWellFormed()) return null;
  return requestId.safeParse(id).data ?? null;
}

export function parseRequest(value: unknown): JsonRpcRequest {
  requireProcessable(value);
  const parsed = boundedParse(jsonRpcRequest, value, describeIssue);
  if (parsed.success) return parsed.data;
  throw buildRefusal('INVALID_REQUEST', (list) => addIssues(list, [], parsed.issues));
}

/** No flow could process the value. Its depth is checked before anything else, because the parsers are recursive. */
export function requireProcessable(request: unknown): void {
  const fault = faultIn(request);
  if (!fault) return;
  const isInParams = fault.path[0] === 'params';
  throw buildRefusal(isInParams ? 'INVALID_PARAMS' : 'INVALID_REQUEST', (list) =>
    addMistake(list, fault.path, fault.detail),
  );
}

export function parseParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = boundedParse(schema, params ?? {}, describeIssue);
  if (parsed.success) return parsed.data;
  throw buildRefusal('INVALID_PARAMS', (list) => addIssues(list, ['params'], parsed.issues));
}

function addIssues(list: MistakeList, root: readonly string[], issues: readonly z.core.$ZodIssue[]): void {
  for (const { path, detail } of describeIssues(issues)) addMistake(list, [...root, ...path], detail);
}

/** BadRequest has no member for the number of mistakes, so the message says it where not all are listed. */
function buildRefusal(reason: A2AErrorName, fill: (list: MistakeList) => void): A2ARefusal {
  const list = newMistakeList();
  fill(list);
  const { listed, total } = list;
  const { message } = a2aErrors[reason];
  const counted =
    total > listed.length ? `${message} ${listed.length} of ${total} mistakes are listed.` : message;
  return new A2ARefusal(reason, counted, listed);
}

/**
 * The version is in the header, or in the query for clients that cannot set one. Its patch number has no meaning (A2A
 * v1.0.1 §3.6). An absent version means 0.3 (§3.6.2), which happens to people who send requests by hand.
 */
export function requireVersion({ headers, query }: VersionedRequest): void {
  const version = headers['a2a-version'] || query['A2A-Version'];
  if (version !== undefined && /^1\.0(\.\d+)?$/.test(version)) return;
  const requested = version ? truncate(version, 16) : '0.3 (no A2A-Version header)';
  throw new A2ARefusal(
    'VERSION_NOT_SUPPORTED',
    `The agent supports A2A 1.0, the request uses ${requested}. Send the header "A2A-Version: 1.0".`,
  );
}

interface VersionedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: { readonly 'A2A-Version'?: string | undefined };
}
