// Names in a flow that mean nothing in the tenant or the workspace: registering it warns of them.
import { expect, test } from 'vitest';
import { createBody, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const create = async (body: unknown, caller: TestCaller | Promise<TestCaller> = newCaller()) => {
  const { key, workspaceid } = await caller;
  return await call('createRegistryRow', { key, query: { workspaceid }, body });
};

test('a model that the tenant does not have and a flow that is not live have warnings with their names', async () => {
  const caller = await newCaller();
  const live = await promoted(caller, await newRow(caller));
  const waiting = await newRow(caller);
  const callTool = (name: string, called: string) => ({ flow: called, name, description: 'Calls.' });
  const nodes = {
    near: { type: 'flow', flowid: `${live.flowid}x`, next: 'each' },
    each: {
      type: 'map',
      items: [1],
      body: { start: 'own', nodes: { own: { type: 'flow', flowid: live.flowid } } },
      next: 'ask',
    },
    ask: {
      ...{ type: 'agent', instructions: 'x', model: 'wrong', next: 'done' },
      tools: [callTool('one', live.flowid), callTool('two', waiting.flowid)],
      agents: [
        { name: 'c', description: 'x', instructions: 'x', tools: [callTool('three', 'nowhere-else')] },
      ],
      guardrails: { input: [{ flow: live.flowid }, { flow: 'moderator' }] },
    },
    done: { type: 'end', output: {} },
  };
  const models = {
    wrong: { model: 'scriptd' },
    other: { provider: 'bedrock', model: 'none' },
    right: {},
  };
  const send = (sent: object) =>
    create(createBody({ flow: flow({ start: 'near', models, ...sent }) }), caller);
  const { body } = await send({ nodes });
  const found = body.warnings?.filter(({ code }) => code.startsWith('unknown_'));
  const at = '/body/flow';
  expect(found).toEqual([
    {
      pointer: `${at}/models/wrong/model`,
      code: 'unknown_model',
      detail:
        'the tenant has no model "scriptd": did you mean "scripted"? Expected one of default, scripted, blind',
    },
    {
      pointer: `${at}/models/other/model`,
      code: 'unknown_model',
      detail: expect.stringContaining('no model "none" of the provider "bedrock"'),
    },
    {
      pointer: `${at}/nodes/near/flowid`,
      code: 'unknown_flow',
      detail: `the workspace has no flow "${live.flowid}x": did you mean "${live.flowid}"? Expected one of ${live.flowid}`,
    },
    {
      pointer: `${at}/nodes/ask/guardrails/input/1/flow`,
      code: 'unknown_flow',
      detail: `the workspace has no flow "moderator": expected one of ${live.flowid}`,
    },
    {
      pointer: `${at}/nodes/ask/tools/1/flow`,
      code: 'unknown_flow',
      detail: expect.stringContaining(`"${waiting.flowid}" has no live build`),
    },
    {
      pointer: `${at}/nodes/ask/agents/0/tools/0/flow`,
      code: 'unknown_flow',
      detail: `the workspace has no flow "nowhere-else": expected one of ${live.flowid}`,
    },
  ]);
});

test('a flow of another workspace is unknown', async () => {
  const other = await newCaller();
  const { flowid } = await promoted(other, await newRow(other));
  const nodes = { call: { type: 'flow', flowid, next: 'done' }, done: { type: 'end', output: {} } };
  const { body } = await create(createBody({ flow: flow({ start: 'call', nodes }) }));
  expect(body.warnings).toContainEqual({
    pointer: '/body/flow/nodes/call/flowid',
    code: 'unknown_flow',
    detail: `the workspace has no flow "${flowid}": expected the id of a flow that is live, and the workspace has none`,
  });
});
