// Which mistakes of a refused request a form of the console shows at which field.
import { expect, test } from 'vitest';
import { placeMistakes } from '#lib/console/parts/field-errors.ts';

const pointers = {
  source: '/body/source',
  header: '/body/source/header',
  hosts: '/body/hosts',
  message: '/body/message',
};
const place = (pointer: string, shown = Object.keys(pointers)) =>
  placeMistakes([{ pointer, detail: 'is wrong' }], pointers, (name) => shown.includes(name));

test.each([
  ['/body/hosts', 'hosts', 'is wrong'],
  ['/body/hosts/1', 'hosts', 'Entry 2: is wrong'],
  ['/body/source/header', 'header', 'is wrong'],
  ['/body/source/type', 'source', 'type is wrong'],
])('%s is shown at %s', (pointer, name, text) => {
  expect(place(pointer)).toEqual({ atFields: new Map([[name, text]]), others: [] });
});

test.each([
  ['of no field', '/body/enabled', undefined],
  ['of a member with a longer name', '/body/hostsOfOthers', undefined],
  ['of a field that is not shown', '/body/message', ['hosts']],
])('a mistake %s is left to the box of the error', (_, pointer, shown) => {
  expect(place(pointer, shown)).toEqual({
    atFields: new Map(),
    others: [{ pointer, detail: 'is wrong' }],
  });
});

test('several mistakes of one field are shown together', () => {
  const mistakes = [0, 1].map((index) => ({ pointer: `/body/hosts/${index}`, detail: 'is wrong' }));
  expect(placeMistakes(mistakes, pointers, () => true).atFields.get('hosts')).toBe(
    'Entry 1: is wrong; Entry 2: is wrong',
  );
});
