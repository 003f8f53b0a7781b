// Asks a person yes or no. Where nobody can answer, the answer is no. Ctrl-C ends the program, as it does elsewhere.

import { exitCodes } from './exit-codes.ts';

export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: question, initialValue: false, output: process.stderr });
  if (isCancel(answer)) process.exit(exitCodes.interrupted);
  return answer;
}
