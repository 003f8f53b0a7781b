// The body of a request as JSON-RPC 2.0 (A2A v1.0.1 §9.3), or the error that the specification has for it.
import type * as z from 'zod';
import { boundedParse } from '#lib/json/bounded-parse.ts';
import { faultIn } from '#lib/json/guard.ts';
import { readJsonText } from '#lib/json/parse.ts';
import { addMistake, type MistakeList, newMistakeList } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import { plainIssues, plainWords } from '#lib/zod-messages.ts';
import { type A2AErrorName, A2ARefusal, a2aErrorTable, type JsonRpcId } from './errors.ts';
import { jsonRpcRequest, requestId } from './params.ts';

type JsonRpcRequest = z.output<typeof jsonRpcRequest>;

export function parseBody(body: string): unknown {
  const read = readJsonText(body);
  if (read.isJson) return read.value;
  throw new A2ARefusal('PARSE_ERROR', `The body is not JSON: ${read.reason}.`);
}

/** The id of a request, valid or not, so that its error names it; null if there is none that can be read and returned. */
export function idOf(value: unknown): JsonRpcId {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  if (typeof id === 'string' && !id.isWellFormed()) return null;
  return requestId.safeParse(id).data ?? null;
}

export function requestIn(value: unknown): JsonRpcRequest {
  // First, as the parsers behind this one work by recursion.
  const fault = faultIn(value);
  if (fault) {
    const isInParams = fault.path[0] === 'params';
    throw refusedFor(isInParams ? 'INVALID_PARAMS' : 'INVALID_REQUEST', (list) =>
      addMistake(list, fault.path, fault.detail),
    );
  }
  const parsed = boundedParse(jsonRpcRequest, value, plainWords);
  if (parsed.success) return parsed.data;
  throw refusedFor('INVALID_REQUEST', (list) => addIssues(list, [], parsed.issues));
}

export function parseParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = boundedParse(schema, params ?? {}, plainWords);
  if (parsed.success) return parsed.data;
  throw refusedFor('INVALID_PARAMS', (list) => addIssues(list, ['params'], parsed.issues));
}

function addIssues(list: MistakeList, root: readonly string[], issues: readonly z.core.$ZodIssue[]): void {
  for (const { path, message } of plainIssues(issues)) addMistake(list, [...root, ...path], message);
}

/** BadRequest has no member for how many there are, so where they are not all listed the message says it. */
function refusedFor(reason: A2AErrorName, fill: (list: MistakeList) => void): A2ARefusal {
  const list = newMistakeList();
  fill(list);
  const { listed, total } = list;
  const { message } = a2aErrorTable[reason];
  const counted =
    total > listed.length ? `${message} These are ${listed.length} of ${total} mistakes.` : message;
  return new A2ARefusal(reason, counted, listed);
}

/** An absent version means 0.3 (A2A v1.0.1 §3.6.2), which people who try by hand run into first. */
export function requireVersion(version: string | undefined): void {
  if (version === '1.0') return;
  const asked = version ? truncate(version, 16) : '0.3 (no A2A-Version header)';
  throw new A2ARefusal(
    'VERSION_NOT_SUPPORTED',
    `The agent speaks A2A 1.0, the request ${asked}. Send the header "A2A-Version: 1.0".`,
  );
}
