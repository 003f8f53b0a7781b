// Keywords of the published schema for values that have the same form everywhere in a flow. The check of a flow covers
// them elsewhere: keys while it copies the JSON, hosts with `egress`, nodes one by one.
import { flowid, reservedFlowIds } from '#lib/ids.ts';
import { tool } from '../agent/definition.ts';
import { nodeSchema, nodeSchemas } from '../definition/node-types.ts';
import { hostileKeys } from '../format/json-value.ts';
import { json, jsonSchema, nodeId, nodesOfBlock, stateName } from '../format/node-fields.ts';
import { named, noted, notes } from '../format/notes.ts';
import { headers, reserved } from '../nodes/http-request.ts';
import { agentAddress, fixedUrl, requestUrl } from '../nodes/url-field.ts';
import { toolSchema } from './rules.ts';

export function addNotes(): void {
  named('node', nodeSchema());
  for (const [name, schema] of Object.entries(nodeSchemas))
    named(`${name}_node`, schema(), { ...notes.get(schema()), title: `Node of type ${name}` });
  named('tool', tool(), toolSchema());
  noted(nodesOfBlock(), {
    ...{ propertyNames: { $ref: '#/$defs/node_id' }, minProperties: 1 },
    additionalProperties: { $ref: '#/$defs/node' },
  });
  addNameNotes();
  addRequestNotes();
}

function addNameNotes(): void {
  const value = { $ref: '#/$defs/value' };
  const isHostile = { enum: hostileKeys };
  named('value', json(), { propertyNames: { not: isHostile }, additionalProperties: value, items: value });
  named('json_schema', jsonSchema());
  named('node_id', nodeId(), { not: isHostile });
  named('state_name', stateName(), { not: isHostile });
  named('flowid', flowid, { not: { anyOf: [{ enum: [...reservedFlowIds] }, { pattern: '^trg_' }] } });
}

/** Exact is only `egress.ts`: this is the form of the scheme and of a literal host. */
const url = '[Hh][Tt][Tt][Pp][Ss]?://[^/?#@{]+([/?]|$)';
const hasExpression = { pattern: '\\{\\{' };

function addRequestNotes(): void {
  noted(requestUrl(), {
    pattern: `^(${url}|\\s*\\{\\{[\\s\\S]*\\}\\}\\s*$)`,
    errorMessage:
      'expected a URL with a literal scheme and host, such as "https://api.example.com/", or one expression',
  });
  noted(fixedUrl(), {
    ...{ pattern: `^${url}`, not: hasExpression },
    errorMessage: 'expected a URL without expressions: what a flow may reach is known before it runs',
  });
  noted(agentAddress(), {
    ...{ pattern: `^(reg_[0-9A-HJKMNP-TV-Z]{26}$|${url})`, not: hasExpression },
    errorMessage:
      'expected a registry id (reg_…), or the URL of an agent or of its card, without expressions',
  });
  const isReserved = { pattern: `^(${[...reserved].map(inAnyCase).join('|')})$` };
  noted(headers(), { allOf: [{ propertyNames: { not: isReserved } }] });
}

/** JSON Schema has no flag for it. */
const inAnyCase = (name: string) => name.replace(/[a-z]/g, (char) => `[${char}${char.toUpperCase()}]`);
