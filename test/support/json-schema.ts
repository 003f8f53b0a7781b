// Checks a value against a schema of the OpenAPI document, by the JSON Schema reader of zod. Only for tests.
import * as z from 'zod';

/** What is wrong with the value, in words; none means that it fits. `document` holds what `$ref` names. */
export function checkJson(
  schema: unknown,
  value: unknown,
  document: { readonly components: { readonly schemas: object } },
): string[] {
  const whole = z.record(z.string(), z.unknown()).parse(inlined(schema, document.components.schemas));
  const parsed = z.fromJSONSchema(whole).safeParse(value);
  return (parsed.error?.issues ?? []).map((issue) => `${issue.path.join('/')}: ${issue.message}`);
}

/** References replaced by what they name; a schema that is inside itself is cut off after a few levels. */
function inlined(node: unknown, schemas: object, depth = 0): unknown {
  if (Array.isArray(node)) return node.map((item) => inlined(item, schemas, depth));
  if (typeof node !== 'object' || node === null) return node;
  const reference = z.object({ $ref: z.string() }).safeParse(node);
  if (!reference.success)
    return Object.fromEntries(
      Object.entries(node).map(([name, member]) => [name, inlined(member, schemas, depth)]),
    );
  const name = reference.data.$ref.split('/').at(-1) ?? '';
  return depth > 4 ? {} : inlined(Reflect.get(schemas, name), schemas, depth + 1);
}
