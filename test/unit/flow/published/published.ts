// The published schema in a validator that is not ours, and what it should take: the samples and the examples
// of the documentation.
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import { isObject } from '#lib/flow/format/json-value.ts';
import { publishedSchema, publishedSchemaId } from '#lib/flow/published/flow-schema.ts';

const validator = new Ajv2020({ strict: false, validateFormats: false, schemas: [publishedSchema()] });

/** True, or what is wrong in words. */
export function validate(pointer: string, value: unknown): boolean | string {
  const check = validator.getSchema(`${publishedSchemaId}${pointer}`);
  if (!check) throw new Error(`There is no schema at ${pointer}.`);
  return check(value) === true || validator.errorsText(check.errors);
}

export const text = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

export const samples = readdirSync(new URL('../../../../events/flows', import.meta.url));

const pages = readdirSync(new URL('../../../../docs/flows', import.meta.url)).map(
  (name) => `docs/flows/${name}`,
);
const documentation = ['docs/flows.md', ...pages].map(text).join('\n');

/** Those of the documentation that are JSON objects: some only show a part. */
const examples = [...documentation.matchAll(/```json\n(.*?)```/gs)].flatMap(([, code = '']) => {
  try {
    const value: unknown = JSON.parse(code);
    return typeof value === 'object' && value !== null ? [value] : [];
  } catch {
    return [];
  }
});

export const exampleFlows = examples.filter((value) => 'version' in value);
export const exampleTests = examples.flatMap((value) =>
  'tests' in value && !('version' in value) ? [value.tests] : [],
);
/** As they stand together, by id. */
export const exampleNodes = examples.filter((value) =>
  Object.values(value).some((node) => isObject(node) && String(node.type) in nodeTypes),
);
