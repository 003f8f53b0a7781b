// `npm run trace`: reads a stack trace of a deployed function on standard input and prints it with the positions in the
// sources.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { giveUp } from '#lib/cli/give-up.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import { entries } from '#lib/infra/bundle.ts';
import { dist } from '#lib/infra/bundle-folder.ts';
import { mapBundle, translateTrace } from '#lib/infra/bundle-trace.ts';

const { readOptions, refuse } = commandLine(`Usage: npm run trace -- <function> < trace.txt

Replaces positions such as /var/task/index.mjs:1:2345 by those in the sources. <function> is the path of its source below
functions/, such as trigger/run. Check out the commit that is deployed, and run npm ci, first.`);
const { positionals } = readOptions({});
const [entry = refuse('Expected one function.'), ...others] = positionals;
if (others.length > 0) refuse('Expected one function.');
if (!entries.includes(entry)) refuse(`${entry} is no function: there is no functions/${entry}.ts.`);

await mkdir(dist, { recursive: true });
const scratch = await mkdtemp(join(dist, '.trace-'));
try {
  const trace = await text(process.stdin);
  process.stdout.write(translateTrace(trace, await mapBundle(entry, entries, scratch)));
} catch (error) {
  giveUp(error, 'The trace was not translated');
} finally {
  await rm(scratch, { recursive: true, force: true });
}
