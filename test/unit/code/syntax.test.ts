import { expect, test } from 'vitest';
import { findSyntaxMistake } from '#lib/code/syntax.ts';

test.each([
  ['return 1 +* 2', "line 1, column 11: Unexpected token '*'"],
  ['const a = 1;\n\n  const a = 2;', "line 3, column 9: Identifier 'a' has already been declared"],
  ['if (input.a) {\n  return 1;', 'line 2, column 12: Unexpected end of input'],
  ['return {', 'line 1, column 9: Unexpected end of input'],
  ['return {\n', 'line 2, column 1: Unexpected end of input'],
  ['with (input) {}', 'line 1, column 1: Strict mode code may not include a with statement'],
  ['return /(/', 'line 1, column 8: Invalid regular expression: /(/: Unterminated group'],
  ['}); process.exit(1); (function () {', "line 1, column 1: Unexpected token '}'"],
  [`return ${'('.repeat(60_000)}`, 'the code is nested too deeply'],
])('%j', (code, mistake) => {
  expect(findSyntaxMistake(code)).toBe(mistake);
});

test('code without a mistake is compiled and not run', () => {
  expect(findSyntaxMistake('globalThis.wasRun = true; throw new Error("was run");')).toBeUndefined();
  expect(globalThis).not.toHaveProperty('wasRun');
});
