// `npm run reproducible`: synthesizes the project in two folders and compares every byte of what would be deployed; then
// changes a source and a bundle, and checks that neither is deployed as it was.
import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '#lib/infra/bundle-folder.ts';

const run = promisify(execFile);
const forCli = /^(manifest|tree|cdk|.*\.metadata|validation-report)\.(json|out)$/;
const changed = { entry: 'meta/health', source: 'functions/meta/health.ts' } as const;

const scratch = await mkdtemp(join(tmpdir(), 'reproducible-'));
try {
  const [one, two] = [join(scratch, 'one'), join(scratch, 'a longer name', 'two')];
  for (const folder of [one, two]) await copyProject(folder);
  const first = await synth(one);
  expectNone(differences(first, await synth(two)), 'Two folders give different files');
  await expectRebuilds(two, first);
  console.log(`The same sources give the same ${first.size} files, and what changes is built again.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** What git knows or would add, and the installed packages as links to the same files. */
async function copyProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const script =
    'git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$0" && cp -al node_modules "$0"';
  await run('bash', ['-c', script, folder], { cwd: root });
  await rm(join(folder, 'node_modules/.cache'), { recursive: true, force: true });
}

type Files = ReadonlyMap<string, Buffer>;

/** The files of the assembly that are deployed, and what names them; the others describe it for the CLI, with its paths. */
async function synth(folder: string): Promise<Files> {
  const out = join(folder, 'cdk.out');
  await rm(out, { recursive: true, force: true });
  await run('npx', ['cdk', 'synth', '--quiet'], { cwd: folder });
  const found = await readdir(out, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((each) => each.isFile() && !forCli.test(each.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(paths.map(async (path) => [path.slice(out.length + 1), await readFile(path)] as const)),
  );
}

function differences(one: Files, two: Files): string[] {
  return [...new Set([...one.keys(), ...two.keys()])].filter((name) => {
    const [a, b] = [one.get(name), two.get(name)];
    return !a || !b || !a.equals(b);
  });
}

/** A damaged bundle is built again, and a changed source changes the asset of its function. */
async function expectRebuilds(folder: string, original: Files): Promise<void> {
  const bundle = join(folder, 'dist/functions', changed.entry, 'index.mjs');
  await appendFile(bundle, '\nthrow new Error("damaged");\n');
  expectNone(differences(original, await synth(folder)), 'A damaged bundle is deployed');
  await appendFile(join(folder, changed.source), '\nconsole.log("changed");\n');
  const templates = differences(original, await synth(folder)).filter((name) =>
    name.endsWith('.template.json'),
  );
  if (templates.length === 0) throw new Error(`${changed.source} has changed, and no template has.`);
}

function expectNone(files: readonly string[], what: string): void {
  if (files.length > 0) throw new Error(`${what}: ${files.slice(0, 20).join(', ')}.`);
}
