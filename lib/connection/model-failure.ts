// What the AI SDK throws, as the engine's own errors. Part of the lazily loaded model layer: import it from `ai-sdk.ts` only.
import {
  AISDKError,
  APICallError,
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  UnsupportedFunctionalityError,
} from 'ai';
import { NodeError } from '#lib/flow/node-error.ts';
import type { NodeCall } from '#lib/flow/ports.ts';
import type { Secret } from '#lib/secret.ts';
import { EgressError } from './egress-error.ts';
import type { ModelEntry } from './model-catalog.ts';

/** A provider's own words about a refused request help the author of a flow; this much of them. */
const excerptLength = 300;

interface Asked {
  readonly entry: ModelEntry;
  /** A provider that dislikes a request may quote it. */
  readonly key: Secret | undefined;
}

/** A NodeError with `timeout` or a `model.…` code, or the error itself when it is a mistake of ours. */
export function modelFailure(error: unknown, { entry, key }: Asked, call: NodeCall): unknown {
  const hidden = (text: string) => (key ? text.replaceAll(key.reveal(), String(key)) : text);
  const name = `${entry.provider}/${entry.model}`;
  const failed = (code: string, message: string) =>
    new NodeError(code, hidden(`${name} ${message}`), { cause: error });
  if (error instanceof NodeError) return error;
  const egress = egressErrorIn(error);
  if (call.signal.aborted || egress?.code === 'egress.timeout')
    return failed('timeout', 'did not answer in time.');
  if (egress) return failed(egressCode(egress), `cannot be used: ${egress.message}`);
  if (APICallError.isInstance(error)) return failed(...providerFailure(error));
  if (isSetupError(error))
    return failed('model.not_configured', 'lacks its region or credentials in the environment.');
  if (InvalidPromptError.isInstance(error) || UnsupportedFunctionalityError.isInstance(error)) {
    return failed('model.refused', `cannot take this request: ${error.message}`);
  }
  return AISDKError.isInstance(error)
    ? failed('model.bad_answer', 'gave an answer that cannot be used.')
    : error;
}

const egressCode = (error: EgressError) =>
  ['egress.too_large', 'egress.encoding', 'egress.response'].includes(error.code)
    ? 'model.bad_answer'
    : 'model.not_configured';

function providerFailure(error: APICallError): [code: string, message: string] {
  const { statusCode: status } = error;
  if (status === undefined) return ['model.unavailable', `did not answer (${networkReason(error.cause)}).`];
  if (status < 400) return ['model.bad_answer', 'gave an answer that is not in the form of its API.'];
  if (status === 429) return ['model.rate_limited', 'is rate limited (429).'];
  if (status >= 500 || status === 408) return ['model.unavailable', `is not available (${status}).`];
  if (status === 401 || status === 403)
    return ['model.not_configured', `refused our credentials (${status}).`];
  if (status === 404) return ['model.not_configured', 'is not known to its provider (404).'];
  return ['model.refused', `refused the request (${status}): ${error.message.slice(0, excerptLength)}`];
}

function networkReason(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error && 'code' in inner ? String(inner.code) : 'network failure';
}

/** The Bedrock provider reports missing AWS credentials as a plain Error. */
const isSetupError = (error: unknown) =>
  LoadAPIKeyError.isInstance(error) ||
  LoadSettingError.isInstance(error) ||
  (error instanceof Error && error.message.startsWith('AWS SigV4 authentication requires'));

function egressErrorIn(error: unknown): EgressError | undefined {
  for (
    let depth = 0, current = error;
    depth < 5 && current instanceof Error;
    depth++, current = current.cause
  ) {
    if (current instanceof EgressError) return current;
  }
  return undefined;
}
