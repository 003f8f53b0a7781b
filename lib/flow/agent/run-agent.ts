// Runs an agent of a flow: begins or continues its conversation, and returns the result. Loaded when the
// first agent runs.
import type { JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { preview } from '../engine/log-preview.ts';
import type { NodeContext, Paused, RunNode, Step } from '../engine/node-context.ts';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import type { FileReference } from '../format/file.ts';
import { textAsker } from '../nodes/ask-models.ts';
import { attachFiles, prepareFiles } from '../nodes/attached-files.ts';
import { prepareConversation } from '../nodes/conversation.ts';
import type { SaidMessage } from '../nodes/conversation-field.ts';
import { prepareGuardrails } from '../nodes/guardrails.ts';
import type { Surroundings } from '../nodes/node-type.ts';
import { addPassages, findCitations } from './citations.ts';
import { limitMemory } from './compaction.ts';
import type { AgentFields } from './definition.ts';
import { type AgentGuard, openGuard } from './guard.ts';
import { endText, type LoopEnd, runLoop } from './loop.ts';
import { type AgentMemory, agentMemory, newConversation } from './memory.ts';
import { prepareAgent } from './prepare.ts';
import { type AgentExecution, type PausedTurn, pausedTurn } from './tool.ts';

export function prepareRun(agent: AgentFields, around: Surroundings): RunNode {
  const loop = prepareAgent(agent, around);
  const cites = [agent, ...(agent.agents ?? [])].some(({ tools = [] }) =>
    tools.some((tool) => tool.knowledge),
  );
  const input = template(agent.input ?? '{{ input.message }}');
  const files = prepareFiles(agent.files);
  const openConversation = prepareConversation(agent.conversation);
  const pass = prepareGuardrails(agent.guardrails);
  return async (context) => {
    const conversation = await openConversation(context, textAsker(loop.choices, context));
    const memory = await restoreMemory(context, async () => ({
      input: asText(await input(context.at)),
      files: (await files?.(context.at)) ?? [],
      before: conversation.messages,
    }));
    const guard = pass && openGuard(pass, memory, context);
    if (guard && !(await guard.passInput())) return toPaused(pausedTurn, memory);
    const execution = createExecution(context, memory, { guard, hidesResults: loop.hidesAnswer });
    const ended = guard?.findAnswer() ?? (await runLoop(loop, memory.conversation, execution));
    if (ended.status === 'paused') return toPaused(ended, memory);
    const end = guard ? await guard.passAnswer(ended, agent.output_schema) : ended;
    if (!end) return toPaused(pausedTurn, memory);
    await conversation.add(memory.input ?? '', asText(end.output));
    if (agent.stream && loop.hidesAnswer) endText(end.output, context.callerText());
    return toStep(end, memory, { isStructured: agent.output_schema !== undefined, cites });
  };
}

interface Beginning {
  /** The first message of the user. */
  readonly input: string;
  /** Those that the first message has. */
  readonly files: readonly FileReference[];
  /** What was said in earlier runs. */
  readonly before: readonly SaidMessage[];
}

async function restoreMemory(
  { memory, answer, contexts }: NodeContext,
  begin: () => Promise<Beginning>,
): Promise<AgentMemory> {
  if (memory === undefined) {
    const { input, files, before } = await begin();
    const said = attachFiles([...before, { role: 'user' as const, content: input }], files);
    const conversation = newConversation(said, contexts);
    return { conversation, captured: {}, asking: null, answer: null, passages: [], input };
  }
  const kept = agentMemory.parse(memory);
  return answer ? { ...kept, answer } : kept;
}

interface Guarded {
  readonly guard: AgentGuard | undefined;
  readonly hidesResults: boolean;
}

function createExecution(
  context: NodeContext,
  memory: AgentMemory,
  { guard, hidesResults }: Guarded,
): AgentExecution {
  return {
    context,
    keyPrefix: '',
    findAnswer: (key) => (memory.asking === key ? memory.answer?.value : undefined),
    clearAnswer: (key) => {
      if (memory.asking === key) memory.answer = null;
    },
    keep: () => {
      limitMemory(memory, context);
      return context.remember(memory);
    },
    capture: (values) => {
      memory.captured = { ...memory.captured, ...values };
    },
    guard: guard ? guard.guard : async (_side, value) => ({ value }),
    hidesResults,
    cite: (found) => addPassages(memory.passages, found),
  };
}

type CompletedLoop = Extract<LoopEnd, { readonly status: 'completed' }>;

function toPaused({ asked, until }: PausedTurn, memory: AgentMemory): Paused {
  if (!asked && until !== undefined) return { pause: { kind: 'until', at: until }, memory };
  if (!asked) return { pause: { kind: 'inside' }, memory };
  return {
    pause: { kind: 'input', ...asked.question },
    memory: { ...memory, asking: asked.key, answer: null },
  };
}

function toStep(
  { output, turns, finishReason }: CompletedLoop,
  { captured, conversation: { contexts }, passages }: AgentMemory,
  { isStructured, cites }: { readonly isStructured: boolean; readonly cites: boolean },
): Step {
  const isText = typeof output === 'string' && !isStructured;
  const answer = isText ? { text: output, data: null } : { text: '', data: output };
  const citations = findCitations(passages, output);
  return {
    output: {
      ...answer,
      captured,
      turns,
      finish_reason: finishReason ?? null,
      ...(cites && { citations }),
    },
    state: captured,
    contexts,
    note: `answered after ${turns} ${turns === 1 ? 'turn' : 'turns'}${cites ? describeCitations(citations) : ''}: ${preview(output, 200)}`,
  };
}

const describeCitations = (citations: readonly JsonObject[]): string =>
  citations.length === 0
    ? ', citing no passage'
    : `, citing ${citations.map(({ id, source }) => `[${asText(id)}] ${truncate(asText(source), 100)}`).join(', ')}`;
