// The forms of errors other than problem details, for routes whose clients expect another one.
import { formatJsonRpcProblem } from './json-rpc-problem.ts';
import { formatOAuthProblem } from './oauth-problem.ts';
import type { FormatProblem } from './problem.ts';
import type { ErrorForm } from './route.ts';

export const errorForms: Readonly<Record<ErrorForm, FormatProblem>> = {
  jsonRpc: formatJsonRpcProblem,
  oauth: formatOAuthProblem,
};
