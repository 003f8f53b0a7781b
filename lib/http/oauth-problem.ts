// Errors of the HTTP layer in the form of OAuth (RFC 6749 §5.2), for endpoints whose clients are OAuth libraries.
import type { FormatProblem } from './problem.ts';

export const formatOAuthProblem: FormatProblem = ({ status, title, detail = title }) => ({
  contentType: 'application/json',
  body: JSON.stringify({ error: oauthError(status), error_description: toDescription(detail) }),
});

/** Clients try again by themselves after `temporarily_unavailable`, which RFC 6749 defines for 503. */
function oauthError(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** The characters that RFC 6749 §5.2 allows. */
const toDescription = (text: string): string => text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
