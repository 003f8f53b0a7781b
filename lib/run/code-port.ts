// Evaluates the code of flows by invoking a function that has no permissions. Code has no effects, so an invocation
// that failed is repeated.
import type { CodePort } from '#lib/flow/ports/code.ts';

/** Loaded with the first code. */
export const codePort: CodePort = async (request, call) => {
  const { invokeCodeFunction } = await import('./invoke-code-function.ts');
  return await invokeCodeFunction(request, call.signal);
};
