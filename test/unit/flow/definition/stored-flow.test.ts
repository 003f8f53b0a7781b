// What running a flow that was kept rests on: it is what came in, and takes none of the schemas that it was
// checked with.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { isStoredFlow } from '#lib/flow/definition/stored-flow.ts';

const folder = new URL('../../../../events/flows/', import.meta.url);
const samples = readdirSync(folder).map((file): unknown =>
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
);

test('a flow that was kept is compiled without making a schema; they are made when a flow is checked', async () => {
  // As in a new process, but for the schemas of ids, which every function has.
  vi.resetModules();
  await import('#lib/ids.ts');
  const made: object[] = [];
  z.config({ postProcessor: (schema) => made.push(schema) });
  onTestFinished(() => void z.config({ postProcessor: undefined }));
  await import('#lib/flow/engine/run-flow.ts');
  const { compileFlow } = await import('#lib/flow/definition/compile.ts');
  for (const kept of samples) expect(isStoredFlow(kept) && compileFlow(kept).nodes.size).toBeGreaterThan(0);
  expect(made).toHaveLength(0);
  const { checkFlow } = await import('#lib/flow/check/check-flow.ts');
  checkFlow(samples[0]);
  expect(made.length).toBeGreaterThan(100);
});

describe('the check changes nothing of a flow, so that what was kept is what was checked', () => {
  test('not of any sample', async () => {
    const { checkFlow } = await import('#lib/flow/check/check-flow.ts');
    for (const flow of samples) {
      const checked = checkFlow(flow);
      expect(checked.ok && checked.flow).toEqual(flow);
    }
  });

  test('not by a default or a transformation in a schema: what goes into them has the form of what comes out', async () => {
    const { flowSchema } = await import('#lib/flow/definition/flow.ts');
    const form = (io: 'input' | 'output') => z.toJSONSchema(flowSchema, { io, unrepresentable: 'any' });
    expect(form('input')).toEqual(form('output'));
  });
});

test.each([{ version: 2, name: 'Later', start: 'a', nodes: {} }, { name: 'Earlier' }, [], null, 'flow'])(
  '%j is of no version that is known here',
  (opened) => {
    expect(isStoredFlow(opened)).toBe(false);
  },
);
