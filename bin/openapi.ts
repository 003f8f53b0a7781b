// `npm run openapi` writes what is generated in docs/: openapi.json from the route table, flow-v1.schema.json from the schemas of flows.
// With `--check` it only says whether the files are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { publishedSchema } from '#lib/flow/published/flow-schema.ts';
import { openapiDocument } from '#lib/routes/openapi.ts';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

const { version } = z.object({ version: z.string() }).parse(read('package.json'));
const withBody = z.object({ body: z.string() });
const bodyExample = (entry: string): unknown => JSON.parse(withBody.parse(read(`events/${entry}.json`)).body);

const generated = {
  'openapi.json': openapiDocument({ version, bodyExample }),
  'flow-v1.schema.json': publishedSchema(),
};

for (const [name, document] of Object.entries(generated)) {
  const file = new URL(`../docs/${name}`, import.meta.url);
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
    console.log(`docs/${name} written, version ${version}`);
  } else if (readFileSync(file, 'utf8') === text) {
    console.log(`docs/${name} is up to date`);
  } else {
    console.error(`docs/${name} is not what the code says: run \`npm run openapi\` and commit the result.`);
    process.exitCode = 1;
  }
}
