// The commands that the documents show: each is a script of package.json or a command of `agent-flow`, and takes the options
// with which it is shown.
import { existsSync, globSync, readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import { createProgram } from '#lib/cli/command/program.ts';
import packageJson from '../../../package.json' with { type: 'json' };

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const pages = globSync(['docs/*.md', 'README.md', 'CONTRIBUTING.md'], { cwd: root }).filter(
  (page) => page !== 'docs/drills.md',
);
const scripts: Readonly<Record<string, string>> = packageJson.scripts;

/** Lines of code blocks and code in text. */
function codeOf(page: string): string[] {
  const text = read(page);
  const blocks = [...text.matchAll(/^ *```[^\n]*\n([\s\S]*?)^ *```/gm)].flatMap(([, code = '']) =>
    code.split('\n'),
  );
  const rest = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  return [...blocks, ...[...rest.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)];
}

/** What follows a command, up to where the shell begins the next one. */
const commandsIn = (code: string, start: RegExp): string[][] =>
  code.split(/&&|\|\|?|;|\$\(|<\(|(?<=\s)#\s/).flatMap((part) => {
    const [, words] = start.exec(part.trim()) ?? [];
    return words === undefined ? [] : [words.split(/\s+/).filter((word) => word !== '')];
  });

const optionsIn = (words: readonly string[]): string[] =>
  words.flatMap((word) => /^\[?(--[a-z][a-z-]*)/.exec(word)?.[1] ?? []);

interface Shown {
  readonly page: string;
  readonly code: string;
  readonly words: readonly string[];
}
const shown = (start: RegExp): Shown[] =>
  pages.flatMap((page) =>
    codeOf(page).flatMap((code) => commandsIn(code, start).map((words) => ({ page, code, words }))),
  );

describe('npm run', () => {
  const all = shown(/(?:^|\s)npm run (?:-s )?([a-z][\w:-]*(?:\s.*)?)$/);

  test('is shown with scripts that exist', () => {
    expect(all.length).toBeGreaterThan(50);
    const missing = all.filter(({ words: [script = ''] }) => scripts[script] === undefined);
    expect(missing.map(({ page, code }) => `${page}: ${code}`)).toEqual([]);
  });

  test('is shown with options that the script takes', () => {
    const wrong = all.flatMap(({ page, code, words: [script = '', ...rest] }) => {
      const file = /node ((?:bin|test)\/\S+\.ts)$/.exec(scripts[script] ?? '')?.[1];
      if (file === undefined || file === 'bin/flow.ts' || !existsSync(new URL(file, root))) return [];
      const text = sourceOf(file);
      const unknown = optionsIn(rest.slice(rest.indexOf('--') + 1)).filter((option) => !takes(text, option));
      return unknown.map((option) => `${page}: ${code}: ${script} has no ${option}`);
    });
    expect(wrong).toEqual([]);
  });
});

/** The text of a script with the modules of options that several scripts share. */
const sourceOf = (file: string): string =>
  [read(file), ...['tenant-environment', 'script-options'].map((name) => read(`lib/cli/${name}.ts`))].join(
    '\n',
  );

const takes = (text: string, option: string): boolean =>
  new RegExp(`${option}\\b|'${option.slice(2)}'|\\b${option.slice(2)}:|, ${option.slice(2)}\\b`).test(text);

describe('agent-flow', () => {
  const all = shown(/(?:^|\s)(?:npx agent-flow|npm run (?:-s )?flow --|agent-flow)(?:\s+(.*))?$/);
  const program: CommandUnknownOpts = createProgram(false);

  /** The command that the words name, and the options that it and those above take. */
  function find(words: readonly string[]): { readonly options: Set<string>; readonly isKnown: boolean } {
    const options = new Set(['--help', '--version']);
    let command = program;
    let isKnown = false;
    for (const word of words) {
      for (const { long } of command.options) if (long) options.add(long);
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (!next) break;
      command = next;
      isKnown = true;
    }
    for (const { long } of command.options) if (long) options.add(long);
    return { options, isKnown };
  }

  test('is shown with commands that exist, and options that they take', () => {
    expect(all.length).toBeGreaterThan(50);
    const wrong = all.flatMap(({ page, code, words }) => {
      if (words.length === 0 || words[0]?.startsWith('-') || words[0]?.includes('|')) return [];
      const { options, isKnown } = find(words);
      if (!isKnown) return /^[a-z]+$/.test(words[0] ?? '') ? [`${page}: ${code}: no such command`] : [];
      return optionsIn(words)
        .filter((option) => !options.has(option))
        .map((option) => `${page}: ${code}: no option ${option}`);
    });
    expect(wrong).toEqual([]);
  });
});
