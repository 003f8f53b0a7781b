import { type CodeOutcome, isCodeCall } from '#lib/code/code-call.ts';
import { createCodeThread } from '#lib/code/thread.ts';

const evaluate = createCodeThread();

/** Logs nothing: the event is data of a run. */
export const handler = async (event: unknown): Promise<CodeOutcome> => {
  if (!isCodeCall(event)) throw new TypeError('The event is not the evaluation of code.');
  return await evaluate(event);
};
