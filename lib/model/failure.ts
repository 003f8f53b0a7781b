// Converts errors of the AI SDK to the engine's own. It is loaded lazily with the SDK: import it from
// `ai-sdk.ts` and `call-with-key.ts` only.
import {
  AISDKError,
  APICallError,
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  StreamProviderError,
  UnsupportedFunctionalityError,
} from 'ai';
import { EgressError } from '#lib/egress/egress-error.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { Secret } from '#lib/secret.ts';
import { truncate } from '#lib/truncate.ts';
import type { ModelEntry } from './catalog.ts';
import { saysContextExceeded } from './context-exceeded.ts';

/** The length of a provider's own error message to show, which helps the author of a flow. */
const excerptLength = 300;

interface FailureContext {
  readonly entry: ModelEntry;
  /** The error message of a provider may quote it. */
  readonly key: Secret | undefined;
}

/** A NodeError with `timeout` or a `model.…` code, or the error itself when it is a mistake of ours. */
export function modelFailure(error: unknown, { entry, key }: FailureContext, call: NodeCall): unknown {
  const redact = (text: string) => (key ? text.replaceAll(key.reveal(), String(key)) : text);
  const name = `${entry.provider}/${entry.model}`;
  const failed = (code: string, message: string) =>
    new NodeError(code, redact(`${name} ${message}`), { cause: error, retryAfter: retryAfter(error) });
  if (error instanceof NodeError) return error;
  const causes = listCauses(error);
  const egress = causes.find((cause) => cause instanceof EgressError);
  if (call.signal.aborted || egress?.code === 'egress.timeout')
    return failed('timeout', 'did not answer in time.');
  if (egress) return failed(egressCode(egress), `cannot be used: ${egress.message}`);
  const broken = causes.find(isBroken);
  if (broken) return failed('model.unavailable', `broke off its answer (${networkReason(broken)}).`);
  if (isContextExceeded(error)) return failed('model.context_exceeded', contextExceeded(error));
  if (APICallError.isInstance(error) || isRefusalInStream(error)) return failed(...providerFailure(error));
  if (causes.some(isSetupError))
    return failed('model.not_configured', 'lacks its region or credentials in the environment.');
  if (InvalidPromptError.isInstance(error) || UnsupportedFunctionalityError.isInstance(error)) {
    return failed('model.refused', `cannot take this request: ${error.message}`);
  }
  return AISDKError.isInstance(error)
    ? failed('model.bad_answer', 'gave an answer that cannot be used.')
    : error;
}

/** Whether the provider has refused the request for its credentials, before any of its answer. */
export const isKeyRefused = (error: unknown): boolean =>
  error instanceof NodeError &&
  APICallError.isInstance(error.cause) &&
  (error.cause.statusCode === 401 || error.cause.statusCode === 403);

/**
 * The SDK throws plain errors for a frame that is truncated or has a wrong checksum. Whatever reading a
 * stream throws is caused by the provider's data, not by the flow or the engine.
 */
export const streamFailure = (error: unknown): AISDKError =>
  AISDKError.isInstance(error)
    ? error
    : new AISDKError({ name: 'BrokenStream', message: 'The stream cannot be read.', cause: error });

const egressCode = (error: EgressError) =>
  ['egress.too_large', 'egress.encoding', 'egress.response'].includes(error.code)
    ? 'model.bad_answer'
    : 'model.not_configured';

/** A rate limit may be about tokens too. */
const isContextExceeded = (error: unknown): error is APICallError | StreamProviderError =>
  (APICallError.isInstance(error) &&
    isRefusal(error.statusCode) &&
    saysContextExceeded(error.message, error.responseBody)) ||
  (StreamProviderError.isInstance(error) &&
    error.statusCode !== 429 &&
    saysContextExceeded(error.message, String(error.code)));

const isRefusal = (status = 0) => status >= 400 && status !== 429;

const contextExceeded = ({ message }: Error) =>
  `got a request that is longer than its context: ${truncate(message, excerptLength)}`;

/** An error that the provider sends after the response has begun, if it has an HTTP status. */
const isRefusalInStream = (error: unknown): error is StreamProviderError =>
  StreamProviderError.isInstance(error) && error.statusCode !== undefined;

function providerFailure(error: APICallError | StreamProviderError): [code: string, message: string] {
  const { statusCode: status } = error;
  if (status === undefined) return ['model.unavailable', `did not answer (${networkReason(error.cause)}).`];
  if (status < 400) return ['model.bad_answer', 'gave an answer that is not in the form of its API.'];
  if (status === 429) return ['model.rate_limited', 'is rate limited (429).'];
  // Bedrock sends 424 when a model fails during its response.
  if (status >= 500 || status === 408 || status === 424)
    return ['model.unavailable', `is not available (${status}).`];
  if (status === 401 || status === 403)
    return ['model.not_configured', `refused our credentials (${status}).`];
  if (status === 404) return ['model.not_configured', 'is not known to its provider (404).'];
  return ['model.refused', `refused the request (${status}): ${truncate(error.message, excerptLength)}`];
}

/** Providers send it with 429, 503 and 529 (overloaded). */
const retryAfter = (error: unknown): string | undefined =>
  APICallError.isInstance(error) ? error.responseHeaders?.['retry-after'] : undefined;

function networkReason(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error && 'code' in inner ? String(inner.code) : 'network failure';
}

/** The Bedrock provider reports missing AWS credentials as a plain Error. */
const isSetupError = (error: unknown) =>
  LoadAPIKeyError.isInstance(error) ||
  LoadSettingError.isInstance(error) ||
  (error instanceof Error && error.message.startsWith('AWS SigV4 authentication requires'));

/** The message of Fetch implementations, including ours, for a connection that ends before the body does. */
const isBroken = (error: Error) => error instanceof TypeError && error.message === 'terminated';

/** The outermost error first, at most five levels deep. */
function listCauses(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 5; cause = cause.cause)
    causes.push(cause);
  return causes;
}
