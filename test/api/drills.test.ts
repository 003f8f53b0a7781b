// The fault of each runbook and its cure, in a host of its own: docs/drills.md (`npm run drills` writes it).
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DrillHost, startDrillHost } from '#test/support/drills/drill-host.ts';
import { drills, notDrilled, type Transcript } from '#test/support/drills/drills.ts';
import { drillsPage } from '#test/support/drills/page.ts';

let drill: DrillHost;
const transcripts: Record<string, Transcript> = {};

beforeAll(async () => {
  drill = await startDrillHost();
});
beforeEach(async () => await drill.begin());
afterAll(async () => await drill?.close());

test.each(Object.keys(drills))('%s', async (runbook) => {
  const transcript = await drills[runbook]?.(drill);
  if (transcript) transcripts[runbook] = transcript;
  expect(JSON.stringify(transcript)).not.toContain('no such line');
});

test('each alarm of docs/operations.md has a drill, or a reason why it has none', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, alarms = ''] = page.split('\n## Alarms\n');
  const runbooks = [...(alarms.split('\n## ')[0] ?? '').matchAll(/^### (.+)$/gm)].map(([, title]) => title);
  expect([...Object.keys(drills), ...Object.keys(notDrilled)].toSorted()).toEqual(runbooks.toSorted());
});

test('docs/drills.md has what happened', async () => {
  await expect(drillsPage(transcripts)).toMatchFileSnapshot('../../docs/drills.md');
});
