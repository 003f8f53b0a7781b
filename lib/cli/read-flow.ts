// Reads a flow from a file for a command that needs one without mistakes, and prints what the check finds.
import { styleText } from 'node:util';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { type CheckedFile, checkFile, type Finding } from './check-file.ts';
import { CommandFailure } from './command-failure.ts';
import { plainText } from './plain-text.ts';
import { formatPosition } from './read-document.ts';

/** Prints mistakes and warnings to stderr; mistakes end the command. */
export async function readCheckedFlow(path: string, asJson: boolean): Promise<Flow> {
  const { flow } = await requireChecked(path, asJson);
  return flow;
}

/** For an agent file, its other members are checked, too. */
export async function requireChecked(
  path: string,
  asJson: boolean,
): Promise<CheckedFile & { readonly flow: Flow }> {
  const checked = await checkFile(path);
  const { flow, file, mistakes, unlisted } = checked;
  if (!asJson) printFindings(checked);
  if (flow) return { ...checked, flow };
  const total = mistakes.length + unlisted;
  throw new CommandFailure(`${file} has ${total} ${total === 1 ? 'mistake' : 'mistakes'}.`, {
    members: { mistakes: mistakes.map((each) => ({ ...each })) },
  });
}

/** To stderr. */
export function printFindings({ mistakes, unlisted, warnings }: CheckedFile): void {
  for (const each of mistakes) print('red', 'mistake', each);
  if (unlisted > 0) console.error(`… and ${unlisted} more mistakes`);
  for (const each of warnings) print('yellow', 'warning', each);
}

function print(
  colour: 'yellow' | 'red',
  kind: string,
  { pointer, detail, file, line, column }: Finding,
): void {
  const label = styleText(colour, kind, { stream: process.stderr });
  const where =
    line === undefined || column === undefined ? '' : ` (${formatPosition(file, { line, column })})`;
  console.error(`${label} ${plainText(`${pointer || '(the flow)'}: ${detail}${where}`)}`);
}
