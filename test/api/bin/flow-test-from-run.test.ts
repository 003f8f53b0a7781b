// `agent-flow test --from-run` with a service: a run becomes a test, which passes in the file of its flow.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { newUserHome, type UserHome } from '#test/support/flow-command.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { resumeRun } from '#test/support/run-calls.ts';

let home: UserHome;
beforeAll(async () => {
  home = await newUserHome();
});
afterAll(() => home.remove());

const nodes = {
  write: { type: 'llm', prompt: '{{ input.message }}', next: 'size' },
  size: { type: 'ask', prompt: 'Which size?', choices: ['S', 'M'], next: 'done' },
  done: { type: 'end', output: { text: '{{ nodes.write }}', size: '{{ nodes.size }}' } },
};

interface EndedRun {
  readonly id: string;
  readonly flow: JsonObject;
}

/** A model has written in it, and a person has answered. In `test`, values are kept. */
async function endedRun(caller: TestCaller): Promise<EndedRun> {
  const flowid = unique('flow');
  const written = flow({ start: 'write', nodes, models: scriptedModels });
  await newRow(caller, { flowid, flow: written });
  const script = newModelScript();
  const params = { workspace_id: caller.workspaceid, trigger_id: flowid, environment: 'test' };
  const started = call('triggerFlow', { key: caller.key, params, body: { message: script.prompt } });
  await script.answer('A red shirt.');
  const { workflow_id } = (await started).body;
  await resumeRun(caller, workflow_id, { answer: 'M' });
  await idle();
  return { id: workflow_id, flow: JSON.parse(JSON.stringify(written)) };
}

const fromRun = (caller: TestCaller, id: string, ...args: string[]) =>
  home.as(caller, 'test', '--from-run', id, ...args);

async function testFile(name: string, content: JsonObject) {
  const path = join(home.folder, `${name}.json`);
  await writeFile(path, JSON.stringify(content));
  return await home.run(['test', path, '--json']);
}

describe.concurrent('a run that has ended', () => {
  test('is printed as a test, which passes in its flow without a service, and fails in another', async () => {
    const caller = await newCaller();
    const run = await endedRun(caller);
    const { code, json } = await fromRun(caller, run.id, '--name', 'a shirt');
    const saved = json();
    expect([code, saved]).toEqual([
      0,
      {
        ...{ name: 'a shirt', mocks: { write: 'A red shirt.' }, answers: ['M'] },
        input: expect.objectContaining({ message: expect.any(String) }),
        expect: expect.stringContaining('response.size = "M"'),
      },
    ]);
    const passed = await testFile('same', { ...run.flow, tests: [saved] });
    expect([passed.code, passed.json()]).toMatchObject([0, { passed: true }]);
    const end = { type: 'end', output: { text: '{{ nodes.write }}', size: 'none' } };
    const other = await testFile('other', { ...run.flow, nodes: { ...nodes, done: end }, tests: [saved] });
    expect([other.code, other.json()]).toMatchObject([1, { passed: false }]);
  });

  test('is the same document with --json, and has a name of its own without --name', async () => {
    const caller = await newCaller();
    const { id } = await endedRun(caller);
    const [plain, asJson] = await Promise.all([fromRun(caller, id), fromRun(caller, id, '--json')]);
    expect(plain.json()).toEqual(asJson.json());
    expect(plain.json().name).toMatch(/./);
  });

  test('is not there for another organisation, with exit code 4', async () => {
    const caller = await newCaller();
    const { id } = await endedRun(caller);
    const stranger = await newCaller({ workspaces: [caller.workspaceid] });
    const { code, output, printed } = await fromRun(stranger, id, '--json');
    expect([code, output]).toEqual([4, '']);
    expect(JSON.parse(printed).error).toMatchObject({ what: 'Reading the run', status: 404 });
  });
});

describe.concurrent('what is wrong is reported', () => {
  test('a run that does not exist, with exit code 4', async () => {
    const { code, printed } = await fromRun(await newCaller(), newRunId());
    expect([code, printed]).toEqual([4, expect.stringContaining('Reading the run failed')]);
  });

  test('an id of no run, with its field and exit code 4', async () => {
    const { code, printed } = await fromRun(await newCaller(), 'yesterday');
    expect([code, printed]).toEqual([4, expect.stringContaining('/path/workflow_id: must be a UUID')]);
  });

  test('a key without `runs:inspect`, with exit code 3', async () => {
    const caller = await newCaller();
    const { id } = await endedRun(caller);
    const reader = await newCaller({ orgid: caller.orgid, scopes: ['assistants.flows:read'] });
    expect((await fromRun(reader, id)).code).toBe(3);
  });

  test('files and a run, or neither, with exit code 2', async () => {
    const caller = await newCaller();
    for (const args of [['test'], ['test', 'flow.json', '--from-run', newRunId()]]) {
      const { code, printed } = await home.as(caller, ...args);
      expect([code, printed]).toEqual([2, expect.stringContaining('expected files of flows, or --from-run')]);
    }
  });
});
