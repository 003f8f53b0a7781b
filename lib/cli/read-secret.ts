// Reads a secret: from the terminal without showing it, or from stdin. Never from the command line, which other programs
// can see and shells remember.
import { text } from 'node:stream/consumers';
import { wrongUsage } from './command-failure.ts';

export async function readSecret(what: string): Promise<string> {
  const given = process.stdin.isTTY ? await prompt(what) : (await text(process.stdin)).trim();
  if (given) return given;
  throw wrongUsage(`${what} is missing: expected it on stdin.`);
}

async function prompt(what: string): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const given = await password({ message: what, output: process.stderr });
  return isCancel(given) ? '' : given.trim();
}
