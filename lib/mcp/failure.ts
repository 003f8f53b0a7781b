// Converts errors of the MCP SDK to the engine's own. Import this file lazily only.
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { truncate } from '#lib/truncate.ts';

/** The length of a server's own error message to show, which helps the author of a flow. */
const excerptLength = 300;

/** A NodeError with a `mcp.…` code or `timeout`. */
export function mcpFailure(error: unknown, host: string, redact: (text: string) => string): NodeError {
  // No `cause` for errors sent by the server: they may repeat the credential.
  if (error instanceof SdkHttpError) return new NodeError(...httpFailure(error.status, host));
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError)
    return new NodeError(...httpFailure(401, host));
  if (error instanceof ProtocolError) {
    const message = truncate(redact(error.message), excerptLength);
    return new NodeError('mcp.error', `${host} answered with the error ${error.code}: ${message}`);
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout)
      return new NodeError('timeout', `${host} did not answer in time.`);
    if (error.code === SdkErrorCode.ListPaginationExceeded)
      return new NodeError('mcp.too_many_tools', `${host} has too many pages of tools.`);
    if (goneCodes.has(error.code))
      return new NodeError('mcp.unavailable', `The connection to ${host} broke off.`);
  }
  return new NodeError('mcp.bad_answer', `${host} gave an answer that is not in the form of MCP.`);
}

const goneCodes: ReadonlySet<string> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.SendFailed,
  SdkErrorCode.NotConnected,
]);

/** The SDK wraps the error with which the first request of a session fails. */
export function unwrapped(error: unknown): unknown {
  const isWrapper = error instanceof SdkError && !(error instanceof SdkHttpError);
  return isWrapper && error.cause instanceof Error ? unwrapped(error.cause) : error;
}

/** A refusal that says when to try again; the SDK would lose that. */
export function busyFailure({ status, headers }: Response, host: string): NodeError | undefined {
  const retryAfter = headers.get('retry-after') ?? undefined;
  if (retryAfter === undefined || (status !== 429 && status < 500)) return undefined;
  return new NodeError(...httpFailure(status, host), { retryAfter });
}

function httpFailure(status: number, host: string): [code: string, message: string] {
  if (status === 401 || status === 403)
    return ['mcp.unauthorized', `${host} does not accept the credentials (${status}).`];
  if (status === 404) return ['mcp.not_found', `${host} has no MCP server or session there (404).`];
  if (status === 429) return ['mcp.rate_limited', `${host} is rate limited (429).`];
  if (status >= 500) return ['mcp.unavailable', `${host} is not available (${status}).`];
  return ['mcp.refused', `${host} refused the request (${status}).`];
}
