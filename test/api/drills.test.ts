// The fault of each runbook and its cure, in a host of its own: docs/drills.md (`npm run drills` writes it).
// Procedures come first, because some drills of alarms leave items that `npm run verify` reports.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DrillHost, startDrillHost } from '#test/support/drills/drill-host.ts';
import { drills, notDrilled } from '#test/support/drills/drills.ts';
import { drillsPage } from '#test/support/drills/page.ts';
import { procedures } from '#test/support/drills/procedures.ts';
import type { Transcript } from '#test/support/drills/transcript.ts';

let drill: DrillHost;
const transcripts: Record<string, Transcript> = {};

beforeAll(async () => {
  drill = await startDrillHost();
});
beforeEach(async () => await drill.begin());
afterAll(async () => await drill?.close());

const all: readonly (readonly [string, (drill: DrillHost) => Promise<Transcript>])[] = [
  ...Object.entries(procedures).map(([runbook, { run }]) => [runbook, run] as const),
  ...Object.entries(drills),
];

test.each(all)('%s', async (runbook, run) => {
  const transcript = await run(drill);
  transcripts[runbook] = transcript;
  expect(JSON.stringify(transcript)).not.toContain('no such line');
});

const headingsOf = (text: string, level: string): string[] =>
  [...text.matchAll(new RegExp(`^${level} (.+)$`, 'gm'))].map(([, title = '']) => title);

test('each alarm of docs/operations.md has a drill, or a reason why it has none', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, alarms = ''] = page.split('\n## Alarms\n');
  const runbooks = headingsOf(alarms.split('\n## ')[0] ?? '', '###');
  const covered = [...Object.keys(drills), ...Object.keys(notDrilled)];
  expect(runbooks.filter((each) => !covered.includes(each))).toEqual([]);
  expect(covered.filter((each) => !headingsOf(page, '#+').includes(each))).toEqual([]);
});

test('each procedure with a drill is a section of its page', () => {
  for (const [title, { page }] of Object.entries(procedures)) {
    const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
    expect(headingsOf(text, '#+')).toContain(title);
  }
});

test('docs/drills.md has what happened', async () => {
  const ofAlarms = Object.keys(drills);
  const order = [...ofAlarms, ...Object.keys(procedures)];
  const ordered = order.flatMap((runbook) => {
    const transcript = transcripts[runbook];
    return transcript ? [[runbook, transcript] as const] : [];
  });
  await expect(drillsPage(Object.fromEntries(ordered))).toMatchFileSnapshot('../../docs/drills.md');
});
