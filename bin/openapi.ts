// `npm run openapi` writes docs/openapi.json from the route table and docs/flow-v1.schema.json from the
// schemas of flows, and for the console the method and path of each operation. With `--check` it only checks that they are up to date.
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { publishedSchema } from '#lib/flow/published/flow-schema.ts';
import { openapiDocument } from '#lib/routes/openapi.ts';
import { routeList } from '#lib/routes/routes.ts';
import { writeOrCheck } from './generated-files.ts';

const packageFile: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const { version } = z.object({ version: z.string() }).parse(packageFile);
const print = (document: unknown): string => `${JSON.stringify(document, undefined, 2)}\n`;

/** What browsers read as JSON, with their session. */
const operations = routeList
  .filter(([, { credentials }]) => credentials.includes('session'))
  .map(([id, { method, path }]) => `  ${id}: { method: '${method}', path: '${path}' },\n`);

writeOrCheck(
  {
    'lib/console/api/operations.ts': `// Written by \`npm run openapi\`: the method and path of each operation that takes a session.\nexport const operations = {\n${operations.join('')}} as const;\n`,
    'docs/openapi.json': print(openapiDocument(version)),
    'docs/flow-v1.schema.json': print(publishedSchema()),
  },
  'npm run openapi',
);
