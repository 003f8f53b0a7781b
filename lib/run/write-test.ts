// An entry for the `tests` of a flow that repeats a run: its input, what came from outside as mocks, answers and events,
// and how it ended.
import * as z from 'zod';
import { redactedValue } from '#lib/flow/engine/log-preview.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { type JsonObject, json, jsonObject } from '#lib/json/json.ts';
import type { KeptExecution } from './kept-execution.ts';
import { expectEnd, type TestableEnd } from './saved-expectation.ts';
import type { Nodes } from './saved-flow.ts';
import { type NotSaved, saveMocks } from './saved-mocks.ts';
import { readPath } from './visited-path.ts';

export const savedTest = z
  .strictObject({
    name: z.string(),
    input: jsonObject.meta({
      description: 'What the run was started with; what looks like a secret is redacted.',
    }),
    mocks: z.record(z.string(), json).meta({
      description: 'What nodes gave that reach outside the flow, or give something else each time.',
    }),
    answers: z.array(json).optional(),
    events: z.array(jsonObject).optional(),
    expect: z.string().meta({
      description:
        'How the run ended: its status, its path and its response, of which texts of models, times and ids are compared by type.',
    }),
  })
  .meta({ id: 'SavedTest', description: 'An entry for `tests` of the flow.' });
export type SavedTest = z.infer<typeof savedTest>;

export interface EndedRun {
  readonly nodes: Nodes;
  /** One for each execution, in the order of their ends. */
  readonly records: readonly KeptExecution[];
  readonly logs: readonly LogEntry[];
  readonly end: TestableEnd;
  readonly endedAt: string;
  readonly input: JsonObject;
  readonly name: string;
}

export function writeTest(run: EndedRun): SavedTest | NotSaved {
  const { nodes, records, logs, end } = run;
  const visits = readPath(logs, end.status === 'failed' ? { status: 'failed', at: run.endedAt } : undefined);
  const saved = saveMocks({ nodes, records, visits });
  if (!('parts' in saved)) return saved;
  const input = { ...Object(redactedValue(run.input)) };
  const isWhole = logs.every(({ event }) => event !== 'truncated');
  const expect = expectEnd(end, {
    path: isWhole ? saved.path : undefined,
    modelTexts: saved.modelTexts,
    hasRedacted: JSON.stringify([input, saved.parts]).includes('[redacted]'),
  });
  return { name: run.name, input, ...saved.parts, expect };
}
