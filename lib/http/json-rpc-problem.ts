// Errors of the HTTP layer in the form of JSON-RPC 2.0, for routes whose clients expect no problem details.
import type { FormatProblem } from './problem.ts';

/** The id is null, since the request may not have been parsed. `data` has the problem details. */
export const formatJsonRpcProblem: FormatProblem = (problem) => ({
  contentType: 'application/json',
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: jsonRpcCode(problem.status), message: problem.detail ?? problem.title, data: problem },
  }),
});

/** JSON-RPC has no codes for credentials, rates or missing methods of HTTP, so these have the first code that it leaves to servers. */
function jsonRpcCode(status: number): number {
  if (status === 400) return -32600;
  return status >= 500 ? -32603 : -32000;
}
