// Shared by the tests of agents: models that follow a script, flows with one agent, and how to resume a
// pause.
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { FlowPort } from '#lib/flow/engine/ports.ts';
import type { Outcome, RunOptions } from '#lib/flow/engine/run-flow.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { checkedFlow, modelAnswer, run, type Script, scripted } from '../scripted.ts';

/** A turn in which the model wants tools. */
export const wants = (...calls: readonly (readonly [name: string, args: Json])[]): ModelAnswer => ({
  ...modelAnswer(''),
  tool_calls: calls.map(([name, args], index) => ({ id: `call-${index}`, name, arguments: args })),
});

export const says = (output: Json): ModelAnswer => modelAnswer(output);

/** One answer after the other; asking for more is a mistake of the test. */
export function turns(...answers: readonly ModelAnswer[]): (request: ModelRequest) => ModelAnswer {
  const left = [...answers];
  return () => {
    const next = left.shift();
    if (next) return next;
    throw new NodeError('model.script_over', 'The script has no further turn.');
  };
}

export const agentFlow = (agent: JsonObject, more: JsonObject = {}) =>
  checkedFlow(
    {
      work: { type: 'agent', instructions: 'Be brief.', ...agent, next: 'done' },
      done: { type: 'end', output: { work: '{{ nodes.work }}', state: '{{ state }}' } },
    },
    more,
  );

export const question = { input: { message: 'How are you?', user_variables: {} } };

/** Runs a flow of one agent on a message. */
export async function runAgent(agent: JsonObject, script: Script, more: JsonObject = {}) {
  const recorded = scripted(script);
  const flow = agentFlow(agent, more);
  const outcome = await run(flow, recorded, question);
  return { flow, outcome, ...recorded };
}

/** What the agent gave, or why the run failed. */
export function readAgentOutput(outcome: Outcome): Json | undefined {
  if (outcome.status === 'completed') return outcome.response.work;
  throw new Error(JSON.stringify(outcome));
}

/** Goes on in a fresh engine from the snapshot as it is stored. */
export async function resumed(
  flow: ReturnType<typeof checkedFlow>,
  outcome: Outcome,
  script: Script,
  options: Partial<RunOptions> = {},
) {
  if (!('snapshot' in outcome)) throw new Error(JSON.stringify(outcome));
  const recorded = scripted(script);
  const snapshot = JSON.parse(JSON.stringify(outcome.snapshot));
  return { outcome: await run(flow, recorded, { ...question, snapshot, ...options }), ...recorded };
}

/** The results of the tools of the last turn, as the model received them. */
export const reportedResults = (prompts: readonly ModelRequest[]): readonly string[] =>
  (prompts.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));

/** A registry of flows; `builds` are those asked for. */
export function createFlowPort(flows: Readonly<Record<string, ReturnType<typeof checkedFlow>>>) {
  const builds: (string | undefined)[] = [];
  const port: FlowPort = async ({ flowid, build }) => {
    builds.push(build);
    const flow = flows[flowid];
    if (!flow) throw new NodeError('flow.not_found', `There is no flow "${flowid}".`);
    return { flow: compileFlow(flow), flowid, build: `${flowid}-build-1`, env: {} };
  };
  return { port, builds };
}
