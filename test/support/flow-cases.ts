// Runs of flows whose nodes make AWS calls of their own, which docs/aws-calls.md counts.
import type { JsonObject } from '#lib/json/json.ts';
import { newMessage } from './a2a.ts';
import { triggerParams } from './automation-costs.ts';
import { flow } from './builders.ts';
import type { Case } from './call-cost.ts';
import type { TestCaller } from './caller.ts';
import { liveAgent } from './flows.ts';

/** The synchronous trigger of a flow with these nodes. */
const runOf = (start: string, nodes: JsonObject): Case => ({
  operation: 'triggerFlow',
  prepare: async (caller) => {
    const { flowid } = await liveAgent({ flow: flow({ start, nodes }) }, caller);
    return { params: triggerParams(caller, flowid), body: { message: 'hello' } };
  },
  isRepeated: true,
});

const llm = { type: 'llm', prompt: '{{ input.message }}' };

const sendInContext = async (caller: TestCaller) => {
  const nodes = { answer: { ...llm, conversation: {} } };
  const { flowid } = await liveAgent({ flow: flow({ start: 'answer', nodes }) }, caller);
  const params = { message: { ...newMessage('hello'), contextId: 'talk' } };
  return { params: { flowId: flowid }, body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params } };
};

/** By the name that docs/aws-calls.md has for it. */
export const flowCases: Readonly<Record<string, Case>> = {
  'trigger: run a flow that reads and writes a stored value': runOf('read', {
    read: { type: 'store', get: 'key', next: 'write' },
    write: { type: 'store', put: 'key', value: 1, if_version: '{{ nodes.read.version }}' },
  }),
  'trigger: run a flow with a turn of a conversation': runOf('answer', {
    answer: { ...llm, conversation: { key: 'talk' } },
  }),
  'trigger: run a flow with a turn of an agent in a conversation': runOf('answer', {
    answer: { type: 'agent', instructions: 'Answer.', conversation: { key: 'talk' } },
  }),
  'trigger: run a flow with a `code` node': runOf('work', {
    work: { type: 'code', code: 'return 1;' },
  }),
  'a2a: SendMessage with a turn of a conversation': {
    operation: 'callLiveAgent',
    prepare: sendInContext,
    isRepeated: true,
  },
};
