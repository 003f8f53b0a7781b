// The flow format as JSON Schema 2020-12, for editors: what the shapes say, not what `check.ts` finds beyond them.
import * as z from 'zod';
import type { JsonObject } from '#lib/json.ts';
import { flowSchema } from './flow.ts';
import { nodeSchema, nodeTypes } from './nodes/index.ts';
import { block } from './nodes/node-type.ts';

/** The same wherever the service is deployed, so that an editor takes copies of it for one. */
export const publishedSchemaId = 'urn:agent-flow-service:schema:flow-v1';

export function publishedSchema(): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(flowSchema, {
    metadata: namedParts(),
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const nodes = jsonSchema.properties?.nodes;
      // A block holds its nodes as plain JSON, because they are read one by one.
      if (zodSchema === block() && typeof nodes === 'object')
        nodes.additionalProperties = { $ref: '#/$defs/node' };
    },
  });
  return z.record(z.string(), z.json()).parse({
    ...{ $schema, $id: publishedSchemaId, title: 'Flow v1' },
    ...schema,
  });
}

/** What is written once, under `$defs`. */
function namedParts() {
  const parts = z.registry<{ id: string }>();
  parts.add(nodeSchema(), { id: 'node' });
  parts.add(block(), { id: 'block' });
  for (const [name, { schema }] of Object.entries(nodeTypes)) parts.add(schema(), { id: `${name}_node` });
  return parts;
}
