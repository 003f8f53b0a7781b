import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import type { RunEvent } from '#lib/cli/api/follow.ts';
import { createRunPrinter } from '#lib/cli/command/print-run.ts';

afterEach(() => vi.restoreAllMocks());

function print(event: Pick<RunEvent, 'logs' | 'texts'>): string {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  createRunPrinter().event({ status: 'working', replies: [], ...event });
  return stripVTControlCharacters(written.join(''));
}

const entry = (event: string, message: string, some: object = {}) => ({
  ...{ event, message, level: 'info' as const },
  ...some,
});

test('what a node writes is printed before its end, and after its start, if one event has all of it', () => {
  const printed = print({
    logs: [
      entry('run_started', 'The flow starts.'),
      entry('started', 'llm "a" starts.', { node_id: 'a' }),
      entry('completed', 'llm "a" completed.', { node_id: 'a' }),
      entry('started', 'llm "a" starts again.', { node_id: 'a' }),
      entry('completed', 'llm "a" completed again.', { node_id: 'a' }),
      entry('started', 'llm "ab" starts.', { node_id: 'ab' }),
    ],
    texts: [
      { key: 'a.1', text: 'one' },
      { key: 'a.2', text: 'two' },
      { key: 'ab.1', text: 'three' },
    ],
  });
  expect(printed).toBe(
    [
      ...['▶ The flow starts.', '→ llm "a" starts.', 'a.1 writes:', 'one', '✓ llm "a" completed.'],
      ...['→ llm "a" starts again.', 'a.2 writes:', 'two', '✓ llm "a" completed again.'],
      ...['→ llm "ab" starts.', 'ab.1 writes:', 'three'],
    ].join('\n'),
  );
});

test('the texts of a node in a scope belong to its execution there', () => {
  const printed = print({
    logs: [
      entry('completed', 'of item 1.', { node_id: 'a', scope: 'each.1.1' }),
      entry('completed', 'of item 0.', { node_id: 'a', scope: 'each.1.0' }),
    ],
    texts: [
      { key: 'each.1.0.a.1', text: 'zero' },
      { key: 'each.1.1.a.1', text: 'one' },
    ],
  });
  expect(printed).toBe(
    [
      ...['each.1.1.a.1 writes:', 'one', '✓ [each.1.1] of item 1.'],
      ...['each.1.0.a.1 writes:', 'zero', '✓ [each.1.0] of item 0.', ''],
    ].join('\n'),
  );
});
