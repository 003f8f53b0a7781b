// The fields of an answer, from the JSON Schema of its question.
import { describe, expect, test } from 'vitest';
import { listAnswerFields, locateMistakes, presetText, readFields } from '#lib/console/runs/answer-fields.ts';
import type { JsonObject } from '#lib/json/json.ts';

const refund = {
  type: 'object',
  properties: {
    approved: { type: 'boolean', title: 'Refund?' },
    amount: { type: 'number', minimum: 0, description: 'In euros.' },
    parcels: { type: 'integer' },
    reason: { type: 'string', maxLength: 2_000 },
    'a/b': { enum: ['post', 3, null], default: 3 },
  },
  required: ['approved', 'amount'],
} as const;

const fieldsOf = (schema: JsonObject) => listAnswerFields(schema) ?? [];
const answer = (schema: JsonObject, typed: Readonly<Record<string, string>>) =>
  readFields(fieldsOf(schema), (name) => typed[name] ?? '');

describe('the fields', () => {
  test('are one for each member of a flat object, at its pointer', () => {
    expect(fieldsOf(refund).map(({ name, control, isRequired }) => [name, control, isRequired])).toEqual([
      ['answer/approved', 'boolean', true],
      ['answer/amount', 'number', true],
      ['answer/parcels', 'integer', false],
      ['answer/reason', 'lines', false],
      ['answer/a~1b', 'choice', false],
    ]);
    expect(fieldsOf(refund).map(presetText)).toEqual(['', '', '', '', '1']);
  });

  test.each([
    [{ type: 'string' }, 'lines'],
    [{ type: 'string', maxLength: 40 }, 'text'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['a', 'b'] }, 'choice'],
  ])('%j is one field', (schema, control) => {
    expect(listAnswerFields(schema)).toMatchObject([{ name: 'answer', control, isRequired: true }]);
  });

  test.each<[string, JsonObject]>([
    ['a list', { type: 'array', items: { type: 'string' } }],
    ['several types', { type: ['string', 'null'] }],
    ['alternatives', { type: 'string', anyOf: [{ maxLength: 2 }] }],
    ['an object in an object', { type: 'object', properties: { a: { type: 'object' } } }],
    ['an object without members', { type: 'object' }],
    [
      'a member that must be there, and is not described',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] },
    ],
    ['anything', {}],
  ])('%s has none', (_, schema) => {
    expect(listAnswerFields(schema)).toBeUndefined();
  });
});

describe('the answer', () => {
  test('has the types of the schema, and leaves out what is empty', () => {
    const typed = { 'answer/approved': '1', 'answer/amount': '12.5', 'answer/a~1b': '2' };
    expect(answer(refund, typed)).toEqual({ approved: false, amount: 12.5, 'a/b': null });
  });

  test('is the value of the only field', () => {
    expect(answer({ type: 'integer' }, { answer: '3' })).toBe(3);
    expect(answer({ type: 'boolean' }, { answer: '0' })).toBe(true);
    expect(answer({ type: 'string' }, { answer: '3' })).toBe('3');
  });
});

test('what the service refuses is said at the fields', () => {
  const detail = '/amount: expected at least 1; 2 at most; /a~1b: expected "post"; the value: too long';
  expect(locateMistakes([{ pointer: '/body/answer', detail }])).toEqual([
    { pointer: '/body/answer/amount', detail: 'expected at least 1; 2 at most' },
    { pointer: '/body/answer/a~1b', detail: 'expected "post"' },
    { pointer: '/body/answer', detail: 'too long' },
  ]);
  const other = { pointer: '/body/id', detail: 'must be one of a; /b: c' };
  expect(locateMistakes([other])).toEqual([other]);
});
