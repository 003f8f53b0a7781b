// How long YAML may take to read, whatever stands in its 2 MB: CPU time of the thread, and the best of three, since
// a busy machine makes every step longer. On one of its own none takes more than half a second.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readYaml } from '#lib/yaml/read-yaml.ts';
import { seed } from '#test/support/seed.ts';

const cpuMsMax = 1_000;
const bytes = 2_000_000;
console.log(`SEED=${seed}`);

const fill = (text: string) => text.repeat(Math.ceil(bytes / text.length));
const nested = Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('');
const names = Array.from({ length: 200_000 }, (_, n) => `k${n}: ${n}\n`).join('');

const texts: Readonly<Record<string, string>> = {
  'names that differ': names,
  'levels by indentation': nested,
  'long text over many lines': fill('word\n'),
  'quoted text over many lines': `"${fill('a\n ')}"`,
  escapes: `"${fill('\\x41')}"`,
  'a text without its quote': `"${fill('a\n ')}`,
  'a block of text': `a: |\n${fill(' x\n')}`,
  'a folded block': `a: >\n${fill(' x\n\n')}`,
  'a text that begins wrong': fill('@a\n'),
  'a long name': `${fill('k')}: 1`,
  ...Object.fromEntries(
    [
      '[',
      '{a: ',
      '- ',
      '-\n',
      '#\n',
      ' ',
      '\n',
      '\t',
      '- &a b\n',
      '- *a\n',
      '- !x b\n',
      ':',
      ': ',
      '? ',
      '?\n',
    ]
      .concat([
        '%a\n',
        '---\n',
        '--- a\n...\n',
        ',',
        '[1,',
        '}',
        '`\n',
        '&a ',
        '! ',
        '? a\n: b\n',
        'a: #\n',
        '\r\n',
      ])
      .concat(['a: @\n', "''", 'a: 1\n b: 2\n', '- a: 1\n  b: 2\n', '{? a : b, ', '[a: 1, ', 'word '])
      .map((text) => [JSON.stringify(text), fill(text)]),
  ),
};

function readIn(text: string): number {
  let ms = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && ms > cpuMsMax; tries++) {
    const before = process.threadCpuUsage();
    readYaml(text);
    const { user, system } = process.threadCpuUsage(before);
    ms = (user + system) / 1000;
  }
  return ms;
}

test.each(Object.entries(texts))('2 MB of %s', (_name, text) => {
  expect(readIn(text)).toBeLessThan(cpuMsMax);
});

const pieces = [
  'a',
  ': ',
  '- ',
  '? ',
  '\n',
  '\n  ',
  '[',
  ']',
  '{',
  '}',
  ', ',
  '"',
  "'",
  '|\n',
  '>\n',
  '&a ',
  '*a',
  '#',
  '!',
  '%',
  '@',
];

test('2 MB of any few pieces that repeat', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }), (some) => {
      expect(readIn(fill(some.join('')))).toBeLessThan(cpuMsMax);
    }),
    { seed, numRuns: 60 },
  );
});
