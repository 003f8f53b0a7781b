// `agent-flow init`: a folder with an agent to begin with.
import { Command, Option } from '@commander-js/extra-typings';
import { CommandFailure } from '../command-failure.ts';
import { jsonOption } from '../options.ts';
import { printJson, printLine } from '../print.ts';
import { programName } from '../program-name.ts';

export const init = () =>
  new Command('init')
    .summary('write a new agent')
    .description('Writes a folder with an agent: its card, a flow that asks a model, and tests of the flow.')
    .argument('[folder]', 'the folder, whose name becomes the id of the flow', '.')
    .addOption(
      new Option('--format <format>', 'how the files are written')
        .choices(['yaml', 'json'] as const)
        .default('yaml' as const),
    )
    .option(...jsonOption)
    .action(async (folder, { format, json }) => {
      const { existsSync } = await import('node:fs');
      const { mkdir, writeFile } = await import('node:fs/promises');
      const { basename, join, resolve } = await import('node:path');
      const { starterFiles } = await import('../starter-agent.ts');
      const { shellWord } = await import('#lib/local/shell-word.ts');
      const files = starterFiles(basename(resolve(folder)), format);
      const paths = files.map(({ name }) => join(folder, name));
      const existing = paths.find((path) => existsSync(path));
      if (existing !== undefined)
        throw new CommandFailure(`${existing} exists already. Nothing was written.`);
      await mkdir(folder, { recursive: true });
      for (const { name, text } of files) await writeFile(join(folder, name), text, { flag: 'wx' });
      if (json) return printJson({ files: paths });
      for (const path of paths) printLine(`Wrote ${path}`);
      const word = shellWord(folder);
      printLine(`Next: ${programName()} test ${word}`);
      printLine(`      ${programName()} run ${word} -m "Hello"`);
      printLine(`      ${programName()} dev ${word}`);
    });
