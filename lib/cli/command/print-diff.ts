// Prints what differs between two builds: what may break callers first in each section.
import { styleText } from 'node:util';
import type { Result } from '../api/operations.ts';
import { plainText } from '../plain-text.ts';
import { printLine } from '../print.ts';

type Diff = Result<'diffRegistryRow'>;
type Section = Exclude<keyof Diff, 'from' | 'to' | 'breaking'>;
type Change = Diff[Section][number];

const titles: Readonly<Record<Section, string>> = {
  card: 'Agent card',
  skills: 'Skills',
  extensions: 'Extensions',
  input_modes: 'Input types',
  output_modes: 'Output types',
  input: 'Input',
  output: 'Output',
  nodes: 'Nodes',
  egress: 'Hosts',
  reaches: 'Servers, agents and flows',
  models: 'Models',
  connections: 'Connections',
  env_variable: 'Variables',
  tool_config: 'Tool configuration',
};

const marks = { added: '+', removed: '-', changed: '~' } as const;
const colours = { added: 'green', removed: 'red', changed: 'yellow' } as const;

export function printDiff(diff: Diff): void {
  printLine(diff.from === undefined ? `${diff.to}: no build is live yet.` : `${diff.from} → ${diff.to}`);
  const sections = Object.entries(titles).map(([name, title]) => ({ title, changes: diff[name as Section] }));
  for (const { title, changes } of sections) {
    if (changes.length > 0) printLine(`${title}:`);
    for (const each of [...changes].sort((a, b) => Number(b.breaking) - Number(a.breaking)))
      printChange(each);
  }
  if (sections.every(({ changes }) => changes.length === 0)) printLine('Nothing differs.');
  else printLine(diff.breaking ? 'Callers of the other build may break.' : 'Nothing that breaks callers.');
}

function printChange({ name, change, breaking, was, now, members }: Change): void {
  const values = was === now ? '' : ` ${was ?? '(none)'} → ${now ?? '(none)'}`;
  const parts = members && members.length > 0 ? ` (${members.join(', ')})` : '';
  const text = plainText(`${marks[change]} ${name}${change === 'changed' ? values : ''}${parts}`);
  const mark = breaking ? styleText(['bold', 'red'], ' may break callers') : '';
  console.log(`  ${styleText(colours[change], text)}${mark}`);
}
