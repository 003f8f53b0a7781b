// JSON-RPC requests of A2A v1.0 (§9) as JSON Schema, written from the specification: the OpenAPI document
// only says that they are objects.
import fc from 'fast-check';
import { fitting } from '#test/support/arbitrary-json.ts';
import type { Schema } from './api-document.ts';

const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength });
const id = text(256, 1);
const anyObject = { type: 'object' };

/** ProtoJSON ignores members that it does not know (§5.5). */
const object = (properties: Record<string, unknown>, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
});

const content = {
  text: { type: 'string' },
  raw: { type: 'string', pattern: '^([A-Za-z0-9+/]{4}){0,9}$' },
  url: { type: 'string', format: 'uri' },
  data: {},
};
const partShapes = Object.entries(content).map(([name, schema]) =>
  object({ [name]: schema, mediaType: text(127), filename: text(1024), metadata: anyObject }, [name]),
);

const message = object(
  {
    messageId: id,
    contextId: id,
    taskId: id,
    role: { const: 'ROLE_USER' },
    parts: { type: 'array', minItems: 1, maxItems: 100, items: { oneOf: partShapes } },
    metadata: anyObject,
    extensions: { type: 'array', maxItems: 50, items: { type: 'string' } },
    referenceTaskIds: { type: 'array', maxItems: 50, items: id },
  },
  ['messageId', 'role', 'parts'],
);
const historyLength = { type: 'integer', minimum: 0, maximum: 2_147_483_647 };
const configuration = object({
  acceptedOutputModes: { type: 'array', items: { type: 'string' } },
  historyLength,
  returnImmediately: { type: 'boolean' },
});

const params = {
  SendMessage: object({ message, configuration, metadata: anyObject }, ['message']),
  SendStreamingMessage: object({ message, configuration, metadata: anyObject }, ['message']),
  GetTask: object({ id, historyLength }, ['id']),
  SubscribeToTask: object({ id }, ['id']),
  CancelTask: object({ id, metadata: anyObject }, ['id']),
} as const;

const envelope = (method: object, inner?: Schema) =>
  object(
    {
      jsonrpc: { const: '2.0' },
      id: { anyOf: [text(1_024), { type: 'number' }, { type: 'null' }] },
      method,
      ...(inner && { params: inner }),
    },
    ['jsonrpc', 'id', 'method', ...(inner ? ['params'] : [])],
  );

const known = Object.entries(params).map(([name, inner]) => envelope({ const: name }, inner));
const unknown = envelope({ type: 'string', not: { enum: Object.keys(params) } });

export const a2aRequest: Schema = { oneOf: [...known, unknown] };

/** Half of the task ids exist. */
export function a2aBodies(taskIds: readonly string[]): fc.Arbitrary<unknown> {
  const reading = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.nat(), fc.string(), fc.constant(null)),
    method: fc.constantFrom('GetTask', 'SubscribeToTask', 'CancelTask'),
    params: fc.record({ id: fc.constantFrom(...taskIds) }),
  });
  const sending = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.nat(),
    method: fc.constantFrom('SendMessage', 'SendStreamingMessage'),
    params: fitting(params.SendMessage, {}),
  });
  return fc.oneof(reading, sending, fitting({ oneOf: known }, {}));
}
