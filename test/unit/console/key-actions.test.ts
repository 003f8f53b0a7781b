// What keys do in the web console.
import { expect, test } from 'vitest';
import { type Pressed, toAction } from '#lib/console/keys/key-actions.ts';

const usual = { hasSingleKeys: true, isGoing: false };
const press = (key: string, some: Partial<Pressed> = {}): Pressed => ({
  key,
  hasCommand: false,
  hasAlt: false,
  isTyping: false,
  ...some,
});

test.each([
  ['/', { kind: 'search' }],
  ['?', { kind: 'help' }],
  ['j', { kind: 'row', by: 1 }],
  ['k', { kind: 'row', by: -1 }],
  ['g', { kind: 'begin-going' }],
  ['x', { kind: 'choose' }],
  ['r', { kind: 'none' }],
])('%s', (key, action) => {
  expect(toAction(press(key), usual)).toEqual(action);
});

test('a letter after g goes to its page, another one does nothing', () => {
  const going = { ...usual, isGoing: true };
  expect(toAction(press('r'), going)).toEqual({ kind: 'go', path: '/runs' });
  expect(toAction(press('j'), going)).toEqual({ kind: 'none' });
});

test('the palette opens in fields too, and with single keys switched off', () => {
  const command = press('k', { hasCommand: true, isTyping: true });
  expect(toAction(command, { hasSingleKeys: false, isGoing: false })).toEqual({ kind: 'palette' });
});

test('single keys do nothing in fields, with modifiers, and when they are switched off', () => {
  const none = { kind: 'none' };
  expect(toAction(press('j', { isTyping: true }), usual)).toEqual(none);
  expect(toAction(press('j', { hasAlt: true }), usual)).toEqual(none);
  expect(toAction(press('g', { hasCommand: true }), usual)).toEqual(none);
  expect(toAction(press('j'), { ...usual, hasSingleKeys: false })).toEqual(none);
});
