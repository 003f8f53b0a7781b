// Valid things to send: each builder gives a whole one and takes only what matters to the test.
import type { JsonObject } from '#lib/json/json.ts';
import type { AgentCardInput } from '#lib/registry/row/agent-card-input.ts';
import type { RegistryRow } from '#lib/registry/row/row.ts';
import { type TestCaller, unique } from './caller.ts';
import { call } from './client.ts';

export const card = (some: Partial<AgentCardInput> = {}) => ({
  name: 'Echo',
  description: 'Says what it hears.',
  skills: [
    {
      id: 'echo',
      name: 'Echo',
      description: 'Repeats the message.',
      inputModes: ['text/plain'],
      outputModes: ['application/json'],
    },
  ],
  ...some,
});

/** Finds the agents of this flow alone: without the word that the ids of all flows begin with. */
export const ownWord = ({ flowid }: { readonly flowid: string }): string => flowid.replace(/^flow_/, '');

/** Answers with the message it was sent. */
export const flow = (some: JsonObject = {}) => ({
  version: 1,
  name: 'Echo',
  start: 'done',
  nodes: { done: { type: 'end', output: { said: '{{ input.message }}' } } },
  ...some,
});

export const createBody = (some: object = {}) => ({
  flowid: unique('flow'),
  agent_card: card(),
  flow: flow(),
  ...some,
});

/** Registers a build. */
export async function newRow(
  caller: TestCaller,
  some: object = {},
  workspaceid = caller.workspaceid,
): Promise<RegistryRow> {
  return (
    await call('createRegistryRow', { key: caller.key, query: { workspaceid }, body: createBody(some) })
  ).body;
}

export async function promoted(
  caller: TestCaller,
  row: Pick<RegistryRow, 'a2aregistryid'>,
): Promise<RegistryRow> {
  const { body } = await call('promoteRegistryRow', {
    key: caller.key,
    params: { a2aregistryid: row.a2aregistryid },
  });
  return body;
}
