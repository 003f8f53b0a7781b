// Why the models of a provider could not be listed, in words that never contain the request: a key with a line break is
// quoted in the error of `fetch`.

/** Its message may be shown. */
export class ListFailure extends Error {
  override readonly name = 'ListFailure';
}

export function describeNetworkFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'there was no answer in time';
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return code ? `there was no answer (${code})` : 'the request could not be made';
}

export function describeStatus(status: number): string {
  if (status === 401 || status === 403) return `the credentials were refused (${status})`;
  if (status === 404)
    return 'the address has no list of models (404); most servers want one that ends in /v1';
  return `the answer was ${status}`;
}
