// `npm run openapi` writes docs/openapi.json from the route table; with `--check` it only says whether the file is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { openapiDocument } from '#lib/api/openapi.ts';

const file = new URL('../docs/openapi.json', import.meta.url);
const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

const { version } = z.object({ version: z.string() }).parse(read('package.json'));
const withBody = z.object({ body: z.string() });
const bodyExample = (entry: string): unknown => JSON.parse(withBody.parse(read(`events/${entry}.json`)).body);

const text = `${JSON.stringify(openapiDocument({ version, bodyExample }), undefined, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
  console.log(`docs/openapi.json written, version ${version}`);
} else if (readFileSync(file, 'utf8') === text) {
  console.log('docs/openapi.json is up to date');
} else {
  console.error(
    'docs/openapi.json is not what the route table says: run `npm run openapi` and commit the result.',
  );
  process.exitCode = 1;
}
