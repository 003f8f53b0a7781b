// The body of a request as JSON-RPC 2.0 (A2A v1.0.1 §9.3), or the error that the specification has for it.
import type * as z from 'zod';
import type { FieldError } from '#lib/errors.ts';
import { faultIn } from '#lib/json-fault.ts';
import { pointerTo } from '#lib/json-pointer.ts';
import { readJsonText } from '#lib/json-text.ts';
import { plainIssues, plainWords } from '#lib/plain-words.ts';
import { A2ARefusal, type JsonRpcId } from './errors.ts';
import { jsonRpcRequest, requestId } from './params.ts';

type JsonRpcRequest = z.output<typeof jsonRpcRequest>;

export function parseBody(body: string): unknown {
  const read = readJsonText(body);
  if (read.isJson) return read.value;
  throw new A2ARefusal('PARSE_ERROR', `The body is not JSON: ${read.reason}.`);
}

/** Of whatever was sent, so that an error is told to the request it is about; null where there is none to read. */
export function idOf(value: unknown): JsonRpcId {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return requestId.safeParse(id).data ?? null;
}

export function requestIn(value: unknown): JsonRpcRequest {
  // First, as the parsers behind this one work by recursion.
  const fault = faultIn(value);
  if (fault) {
    const violation = { pointer: pointerTo(fault.path), detail: fault.detail };
    const isInParams = fault.path[0] === 'params';
    throw new A2ARefusal(isInParams ? 'INVALID_PARAMS' : 'INVALID_REQUEST', undefined, [violation]);
  }
  const parsed = jsonRpcRequest.safeParse(value, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new A2ARefusal('INVALID_REQUEST', undefined, violations([], parsed.error));
}

export function parseParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = schema.safeParse(params ?? {}, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new A2ARefusal('INVALID_PARAMS', undefined, violations(['params'], parsed.error));
}

const violationsMax = 20;
const violations = (root: readonly string[], { issues }: z.ZodError): FieldError[] =>
  plainIssues(issues)
    .slice(0, violationsMax)
    .map(({ path, message }) => ({ pointer: pointerTo([...root, ...path]), detail: message }));

/** An absent version means 0.3 (A2A v1.0.1 §3.6.2), which people who try by hand run into first. */
export function requireVersion(version: string | undefined): void {
  if (version === '1.0') return;
  const asked = version ? version.slice(0, 16) : '0.3 (no A2A-Version header)';
  throw new A2ARefusal(
    'VERSION_NOT_SUPPORTED',
    `The agent speaks A2A 1.0, the request ${asked}. Send the header "A2A-Version: 1.0".`,
  );
}
