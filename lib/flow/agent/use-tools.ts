// Executes the tool calls of a turn. Failures of tools are reported to the model. The flow alone determines
// which tools it may use and which of them need approval.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { truncate } from '#lib/truncate.ts';
import { approvalChoices, approvalSchema, readApproval } from '../engine/approval.ts';
import { preview } from '../engine/log-preview.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { asText } from '../expression/text.ts';
import { isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { endsRun, NodeError } from '../format/node-error.ts';
import { rememberContext } from '../format/remote-contexts.ts';
import { findValueFaults } from '../schema/value-faults.ts';
import type { Conversation, Use } from './memory.ts';
import {
  type AgentExecution,
  type PausedTurn,
  type PendingQuestion,
  pausedTurn,
  type Tool,
  type ToolEnd,
} from './tool.ts';
import type { Toolbox } from './toolbox.ts';

interface TurnContext {
  readonly toolbox: Toolbox;
  readonly conversation: Conversation;
  readonly label: string;
  /** What the result of a tool that ends the agent must match. */
  readonly outputSchema: JsonObject | undefined;
}

/** Undefined once all uses have a result and the conversation is ready for the next turn. */
export async function useTools(
  turn: TurnContext,
  execution: AgentExecution,
): Promise<PausedTurn | undefined> {
  const { toolbox, conversation } = turn;
  const needsApproval = conversation.uses.some(({ name }) => toolbox.get(name)?.needsApproval);
  const paused = needsApproval ? await useInOrder(turn, execution) : await useConcurrently(turn, execution);
  if (paused) return paused;
  for (const { id, name, result } of conversation.uses)
    conversation.messages.push({ role: 'tool', tool_call_id: id, name, content: result ?? '' });
  conversation.contexts = rememberContexts(conversation);
  // In the order of the uses, too.
  for (const { assigned } of conversation.uses) execution.capture(assigned);
  conversation.final = conversation.uses.find(({ final }) => final)?.final ?? null;
  conversation.uses = [];
  await execution.keep();
  return undefined;
}

/** In the order of the uses and not of their ends, so that a run that is resumed remembers the same. */
const rememberContexts = ({ uses, contexts }: Conversation): Conversation['contexts'] =>
  uses.reduce(
    (known, { remote }) => (remote ? rememberContext(known, remote, remote.context_id) : known),
    contexts,
  );

async function useInOrder(turn: TurnContext, execution: AgentExecution): Promise<PausedTurn | undefined> {
  for (const [index, use] of turn.conversation.uses.entries()) {
    if (use.result !== null) continue;
    if (execution.context.isOver()) return pausedTurn;
    const paused = await useTool(use, index, turn, execution);
    if (paused) return paused;
  }
  return undefined;
}

/** All tools end or pause before the turn does, so that none keeps running. */
async function useConcurrently(
  turn: TurnContext,
  execution: AgentExecution,
): Promise<PausedTurn | undefined> {
  const open = [...turn.conversation.uses.entries()].filter(([, { result }]) => result === null);
  const ends = await Promise.allSettled(open.map(([index, use]) => useTool(use, index, turn, execution)));
  const pauses: PausedTurn[] = [];
  for (const end of ends) {
    if (end.status === 'rejected') throw end.reason;
    if (end.value) pauses.push(end.value);
  }
  return joinPauses(pauses);
}

/**
 * A question in a child scope is answered there, before the agent asks a question of its own. Tasks of other
 * agents are read whenever the agent resumes, and at a time of theirs if nothing else is waited for.
 */
function joinPauses(pauses: readonly PausedTurn[]): PausedTurn | undefined {
  const inside = pauses.find(({ asked, until }) => !asked && until === undefined);
  const waits = pauses.flatMap(({ until }) => until ?? []).sort();
  return inside ?? pauses.find(({ asked }) => asked) ?? pauses.find(({ until }) => until === waits[0]);
}

async function useTool(
  use: Use,
  index: number,
  turn: TurnContext,
  execution: AgentExecution,
): Promise<PausedTurn | undefined> {
  const { context } = execution;
  const startedAt = context.now();
  const key = `${execution.keyPrefix}${turn.conversation.turns}_${index}`;
  const end = await runTool(use, key, turn, execution);
  // A tool that ended with the time of the node has no result: the next attempt uses it again.
  await context.at.pace();
  if (end.status === 'paused') return end;
  const gain = await findGain(end, use, turn, execution);
  execution.clearAnswer(key);
  use.result = truncateOutput(describeEnd(end, use), context);
  use.kept = null;
  Object.assign(use, gain);
  if (end.status === 'completed') use.remote = end.remote ?? null;
  context.note({
    event: 'tool',
    level: end.status === 'failed' ? 'warn' : 'info',
    tool: truncate(use.name, 64),
    message: `${turn.label}${truncate(use.name, 64)} ${end.status}${describeResult(end, execution)}`,
    duration_ms: context.now() - startedAt,
  });
  await execution.keep();
  return undefined;
}

/** What the service says of a failure is no text that is still to be checked. */
const describeResult = (
  { status, content }: Exclude<ToolEnd, PausedTurn>,
  { hidesResults }: AgentExecution,
): string => (hidesResults && status === 'completed' ? '' : `: ${preview(content, 200)}`);

/** What the agent has of a result beside its text. A mistake in `assign` fails the node. */
async function findGain(
  { status, content }: Exclude<ToolEnd, PausedTurn>,
  { name, arguments: args }: Use,
  { toolbox }: TurnContext,
  { context: { at } }: AgentExecution,
): Promise<Partial<Pick<Use, 'assigned' | 'final'>>> {
  const tool = toolbox.get(name);
  if (!tool || status === 'failed') return {};
  const scope = { ...at.scope, args, result: content };
  const assigned = await tool.assign?.({ ...at, scope });
  return {
    ...(isObject(assigned) && { assigned }),
    ...(tool.endsAgent === true && { final: { value: content } }),
  };
}

/** The model must not believe that its own arguments were used. */
function describeEnd({ status, content }: Exclude<ToolEnd, PausedTurn>, use: Use): string {
  const text = status === 'failed' ? `Error: ${asText(content)}` : asText(content);
  return use.isEdited ? `[Approved with other arguments: ${JSON.stringify(use.arguments)}]\n${text}` : text;
}

async function runTool(
  use: Use,
  key: string,
  { toolbox, conversation, outputSchema }: TurnContext,
  execution: AgentExecution,
): Promise<ToolEnd> {
  const tool = toolbox.get(use.name);
  if (!tool)
    return failed(
      `there is no tool "${truncate(use.name, 64)}": expected one of ${[...toolbox.keys()].join(', ')}`,
    );
  try {
    if (tool.needsApproval) await takeApproval(use, key, execution);
    const { arguments: args } = use;
    if (!isObject(args)) return failed(describeNoObject(args));
    const fault = await findArgumentFault(tool, args, execution.context);
    if (fault !== undefined) return failed(fault);
    use.target ??= tool.target;
    if (use.target !== tool.target) return failed('the tool is not the one any more that was asked for');
    if (use.approval === 'denied') return failed(describeDenial(use));
    if (tool.needsApproval && use.approval === null)
      return { status: 'paused', asked: askForApproval(use, key, tool) };
    const keep = async (value: Json) => {
      use.kept = value;
      await execution.keep();
    };
    const { contexts } = conversation;
    const takeQuestion = (max: number) => countQuestion(use, conversation, max);
    const kept = { value: use.kept, keep };
    const end = await tool.run({ ...execution, args, key, contexts, takeQuestion, kept });
    return tool.endsAgent === true ? await checkFinal(end, outputSchema, execution.context) : end;
  } catch (thrown) {
    if (!(thrown instanceof NodeError) || endsRun(thrown.code)) throw thrown;
    return failed(`${thrown.code}: ${thrown.message}`);
  }
}

/** What is no output of the agent goes back to the model, which can use the tool again or answer itself. */
async function checkFinal(
  end: ToolEnd,
  schema: JsonObject | undefined,
  { at }: NodeContext,
): Promise<ToolEnd> {
  if (end.status !== 'completed' || !schema) return end;
  const faults = await findValueFaults(schema, end.content, at.compute);
  return faults.length === 0 ? end : failed(`the result does not match output_schema: ${faults.join('; ')}`);
}

const failed = (content: string): ToolEnd => ({ status: 'failed', content });

/** What is wrong with the arguments, so that the model can write them again. */
function describeNoObject(args: Json): string {
  const text = asText(args);
  if (Buffer.byteLength(text) > limits.toolArgumentsBytes) return tooLarge;
  const start = truncate(text, shownArgumentChars);
  try {
    JSON.parse(text);
    return `arguments: expected an object of JSON, got another value: ${start}`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    return `arguments: expected an object of JSON: ${reason}. They began: ${start}`;
  }
}

/** The conversation has `{}` in place of such arguments, so the model would not see what it wrote. */
const shownArgumentChars = 500;

const tooLarge = `arguments: expected at most ${limits.toolArgumentsBytes} bytes of JSON`;

async function findArgumentFault(
  { declaration }: Tool,
  args: JsonObject,
  { at }: NodeContext,
): Promise<string | undefined> {
  if (jsonBytes(args, limits.toolArgumentsBytes) > limits.toolArgumentsBytes) return tooLarge;
  const faults = await findValueFaults(declaration.parameters, args, at.compute);
  return faults.length > 0 ? `arguments: ${faults.join('; ')}` : undefined;
}

/** Records the answer, if it has come. */
async function takeApproval(use: Use, key: string, execution: AgentExecution): Promise<void> {
  const answer = use.approval === null ? execution.findAnswer(key) : undefined;
  if (answer === undefined) return;
  const { approved, arguments: edited, reason = null } = readApproval(answer);
  use.approval = approved ? 'approved' : 'denied';
  use.reason = approved ? null : reason;
  if (approved && edited && !isDeepStrictEqual(edited, use.arguments)) {
    use.arguments = edited;
    use.isEdited = true;
  }
  execution.clearAnswer(key);
  await execution.keep();
}

function askForApproval(use: Use, key: string, { declaration, target }: Tool): PendingQuestion {
  const prompt = `The agent wants to use ${use.name} (${target}) with ${preview(use.arguments, 500)}. Approve or deny?`;
  const detail = { tool: use.name, target, arguments: use.arguments };
  const schema = approvalSchema(declaration.parameters);
  return { key, question: { purpose: 'approval', prompt, choices: approvalChoices, schema, detail } };
}

const describeDenial = ({ reason }: Use): string =>
  `this use of the tool was denied; do not try it again${reason === null ? '' : `. The reason: ${reason}`}`;

/** A use counts once, however often it is resumed. False if the conversation has had that many questions. */
function countQuestion(use: Use, conversation: Conversation, max: number): boolean {
  if (use.kept !== null) return true;
  if (conversation.questions >= max) return false;
  conversation.questions += 1;
  use.kept = true;
  return true;
}

/** Limits the output of a tool to what a model receives. */
function truncateOutput(text: string, context: NodeContext): string {
  const { toolOutputBytes: max } = context.left();
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  // A truncated character decodes to U+FFFD.
  const shown = bytes
    .subarray(0, max)
    .toString()
    .replace(/\uFFFD$/, '');
  return `${shown}\n[Cut: the first ${max} of ${bytes.length} bytes.]`;
}
