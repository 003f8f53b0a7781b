// `npm run flow` with a program that builds a flow, in a folder that has the package.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runScript } from '#test/support/run-script.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'builder-'));
  await mkdir(join(folder, 'node_modules'));
  await symlink(process.cwd(), join(folder, 'node_modules', 'agent-flow-service'));
  await file('package.json', '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true }));

async function flow(...args: string[]) {
  const script = runScript('flow', args, { NO_COLOR: '1', MODELS: undefined });
  script.child.stdin?.end();
  const code = await script.ended;
  return { code, printed: script.printed(), output: script.output() };
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe('a program that builds a flow', { concurrent: true }, () => {
  const header = "import { flow } from 'agent-flow-service/builder';\n";
  const body = `const f = flow({ name: 'Built' as string });
    f.end('done', { output: { said: f.input.message } });\n`;

  test('is checked, run and drawn', async () => {
    const path = await file('built.ts', `${header}${body}export default f;\nexport const again = f;`);
    expect((await flow('check', path)).printed).toContain('"Built" is a valid flow of 1 node.');
    expect(JSON.parse((await flow('run', path, '--message', 'hello')).output)).toMatchObject({
      response: { said: 'hello' },
    });
    expect((await flow('draw', path)).output).toContain('>done<');
  });

  test('is written as the JSON that the service registers', async () => {
    const path = await file('json.ts', `${header}${body}export default f;`);
    const written = {
      ...{ version: 1, name: 'Built', start: 'done' },
      nodes: { done: { type: 'end', output: { said: '{{ input.message }}' } } },
    };
    expect(JSON.parse((await flow('build', path)).output)).toEqual(written);
    const out = join(folder, 'json.json');
    expect(await flow('build', path, '-o', out)).toMatchObject({ code: 0, output: '' });
    expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(written);
    const wrong = await file('wrong.ts', `${header}${body}f.ask('q', { prompt: '' });\nexport { f };`);
    expect(await flow('build', wrong)).toMatchObject({ code: 1, output: '' });
  });

  test('may export its only flow by any name', async () => {
    const path = await file(
      'named.ts',
      `${header}${body}export const greeting = f;\nexport const count = 1;`,
    );
    expect(await flow('check', path)).toMatchObject({ code: 0 });
  });

  test.each([
    [
      'several',
      'export const a = f, b = f;',
      /several\.ts exports several flows \(a, b\): export one as default/,
    ],
    ['none', 'export const a = {};', /none\.ts exports no flow: expected one that flow/],
    ['throws', "throw new Error('Stop');", /throws\.ts cannot be run: Stop/],
    [
      'unknown-id',
      "f.ask('q', { prompt: '?', next: 'x' });\nexport { f };",
      /unknown-id\.ts: .* "q" leads to "x"/,
    ],
    ['mistake', "f.ask('q', { prompt: '' });\nexport { f };", /^mistake \/nodes\/q\/prompt: /m],
  ])('that is wrong is refused: %s', async (name, end, message) => {
    const { code, printed } = await flow('check', await file(`${name}.ts`, `${header}${body}${end}`));
    expect(code).toBe(1);
    expect(printed).toMatch(message);
  });
});
