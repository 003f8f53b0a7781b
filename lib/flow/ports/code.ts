// The evaluation of JavaScript, outside the process that runs the flow.
import type { CodeCall, CodeOutcome } from '#lib/code/code-call.ts';
import type { NodeCall } from './node-call.ts';

/**
 * Mistakes of the code are outcomes. Throws a `NodeError` (`code.unavailable`, `timeout`) if it was not evaluated; the
 * call may then be repeated, since code has no effects.
 */
export type CodePort = (request: CodeCall, call: NodeCall) => Promise<CodeOutcome>;
