// The signatures that the check knows are those of the functions that runs call.
import jsonata from 'jsonata';
import { describe, expect, test } from 'vitest';
import { callableNames, ownSignatures } from '#lib/flow/expression/built-ins.ts';
import { readArity, signatures } from '#lib/flow/expression/signatures.ts';

const isBuiltIn = (value: unknown): value is { signature: { definition: string } } =>
  typeof value === 'object' && value !== null && 'signature' in value;

test('every function has a signature, and nothing else has one', () => {
  expect([...signatures.keys()].sort()).toEqual([...callableNames].sort());
});

test('functions of the library have the signature of the library', async () => {
  let compared = 0;
  for (const [name, signature] of signatures) {
    const found: unknown = Object.hasOwn(ownSignatures, name)
      ? undefined
      : await jsonata(`$${name}`).evaluate({});
    if (!isBuiltIn(found)) continue;
    expect(`${name} ${found.signature.definition}`).toBe(`${name} ${signature}`);
    compared++;
  }
  expect(compared).toBeGreaterThan(50);
});

describe('the number of arguments', () => {
  test.each([
    ['substring', { min: 1, max: 3, text: '$substring(text, number, [number])' }],
    ['now', { min: 0, max: 2, text: '$now([text], [text])' }],
    ['match', { min: 1, max: 3, text: '$match(text, function, [number])' }],
    ['millis', { min: 0, max: 0, text: '$millis()' }],
    ['zip', { min: 1, max: Number.POSITIVE_INFINITY, text: '$zip(list, …)' }],
    ['sum', { min: 1, max: 1, text: '$sum(list)' }],
    ['map', { min: 2, max: 2, text: '$map(list, function)' }],
    ['dateAdd', { min: 2, max: 4, text: '$dateAdd(text or number, number, text, [text])' }],
  ])('of $%s', (name, arity) => expect(readArity(name)).toEqual(arity));

  test('of an unknown function is not known', () => expect(readArity('uppercas')).toBeUndefined());
});
