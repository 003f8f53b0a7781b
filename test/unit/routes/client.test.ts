// docs/openapi.json as a client's author uses it: a generator makes a TypeScript client from it, whose types
// are the API's.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { oazapfts } from 'oazapfts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Inside `node_modules`, where the client finds `@oazapfts/runtime`. */
const folder = mkdtempSync(`${root}/node_modules/client-`);
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  writeFileSync(`${folder}/client.ts`, await oazapfts(`${root}/docs/openapi.json`));
});

/** What `tsc` says of a program that uses the client; nothing when it compiles. */
function compile(program: string): string {
  writeFileSync(`${folder}/program.ts`, `import * as api from './client.ts';\n${program}`);
  const options = '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --types node';
  const target = '--target es2024 --module nodenext';
  try {
    execFileSync(`${root}/node_modules/.bin/tsc`, [...`${options} ${target}`.split(' '), 'program.ts'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return String(Object(error).stdout);
  }
}

test('the client compiles, with the types of rows, problems and statuses of an operation', () => {
  const program = `
    const answer = await api.promoteRegistryRow('reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E', { ifMatch: '"3"' });
    if (answer.status === 200) {
      const { status, flowid }: { status: 'live' | 'test'; flowid: string } = answer.data;
      console.log(status, flowid);
    } else if (answer.status === 409) {
      const { code, errors }: api.Problem = answer.data;
      console.log(code, errors?.map(({ pointer }) => pointer));
    }`;
  expect(compile(program)).toBe('');
});

test('an invalid call does not compile', () => {
  const mistakes = compile(`
    await api.promoteRegistryRow(3);
    await api.createApiKey({ label: 'CI pipeline', scopes: ['assistants.flows:reed'], workspaces: '*' });
    const answer = await api.promoteRegistryRow('reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E');
    if (answer.status === 418) console.log(answer);`);
  expect([...mistakes.matchAll(/^program\.ts\((\d+),/gm)].map(([, line]) => line)).toEqual(['3', '4', '6']);
});
