// Runs a flow for a test: no node reaches the network, the test answers the questions, and waiting takes no time.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { FlowTest } from '../definition/flow-test.ts';
import type { Answer } from '../engine/answer.ts';
import { toTextReply } from '../engine/artifacts.ts';
import { isSentMessage, readSentAnswer } from '../engine/message-answer.ts';
import type { CompiledFlow } from '../engine/node-context.ts';
import type { Reply } from '../engine/output.ts';
import type { InputRequest, ReceivedEvent } from '../engine/pause.ts';
import type { Ports } from '../engine/ports.ts';
import { type FlowInput, type Outcome, type RunOptions, runFlow } from '../engine/run-flow.ts';
import { findAwaitedEvents, type Snapshot } from '../engine/snapshot.ts';
import type { ComputePort } from '../expression/compute.ts';
import { definedOnly, isObject } from '../format/json-value.ts';
import type { CodePort } from '../ports/code.ts';
import { memoryStore } from './memory-store.ts';
import { mockedFlow } from './mocked-flow.ts';
import { nullPorts } from './null-ports.ts';

/** `stuck` means that the run could not be judged, and `why` says for what reason. */
export interface DryRun extends Recorded {
  readonly ending: Ended | { readonly status: 'stuck'; readonly why: string };
}

export type Ended = Extract<Outcome, { readonly status: 'completed' | 'failed' }>;

interface Recorded {
  /** Ids of the nodes that were executed, in order. */
  readonly path: string[];
  /** The last output of each node; an error as `{error}`. */
  readonly nodes: Record<string, Json>;
  readonly replies: Reply[];
  /** Replies and, among them, the text of nodes that is for the caller. */
  readonly handed: Reply[];
  /** The questions, in order. */
  readonly requests: InputRequest[];
  /** The state after the last node but one. */
  state: JsonObject;
}

export interface DryRunOptions {
  readonly clock: Ports['clock'];
  readonly compute?: ComputePort | undefined;
  /** Without it, nodes with code need mocks. */
  readonly code?: CodePort | undefined;
  readonly env: JsonObject;
  readonly timeoutMs: number;
}

export async function dryRun(
  flow: CompiledFlow,
  test: FlowTest,
  dryRunOptions: DryRunOptions,
): Promise<DryRun> {
  const { env, timeoutMs, compute, code } = dryRunOptions;
  const recorded: Recorded = {
    path: [],
    nodes: {},
    replies: [],
    handed: [],
    requests: [],
    state: flow.state,
  };
  const { outbound, signal, reportMissingMock, missingMock } = nullPorts();
  const { clock, moveTo } = movableClock(dryRunOptions.clock);
  const onOutput = (id: string, output: Json) => {
    recorded.nodes[id] = output;
  };
  const mocked = mockedFlow(flow, test.mocks ?? {}, { onOutput, reportMissingMock });
  const store = memoryStore(test.input.a2a !== undefined);
  const given = { ...(compute && { compute }), ...(code && { code }) };
  const ports = { ...outbound, store, clock, ...given, ...recordingPorts(recorded) };
  const options = { runId: 'test', input: toFlowInput(test), env, startedAt: clock.now(), ports, signal };
  const endAt = clock.monotonic() + timeoutMs;
  const answers = [...(test.answers ?? [])];
  const events = [...(test.events ?? [])];
  let step: Next = { resumeWith: {} };
  while ('resumeWith' in step) {
    const left = endAt - clock.monotonic();
    const outcome = await runFlow(mocked, { ...options, timeoutMs: left, ...step.resumeWith });
    step = next(outcome, { answers, events, recorded, moveTo, now: clock.now });
  }
  const why = missingMock();
  return { ...recorded, ending: why === undefined ? step.ending : { status: 'stuck', why } };
}

export const toFlowInput = ({
  input: { message = '', user_variables = {}, files, event, a2a },
}: FlowTest): FlowInput => ({
  message,
  user_variables,
  ...(files && { files }),
  ...(event && { event }),
  ...(a2a && { a2a: definedOnly(a2a) }),
});

const recordingPorts = (recorded: Recorded): Pick<Ports, 'checkpoint' | 'log' | 'reply' | 'text'> => ({
  checkpoint: async ({ state }) => {
    if (state) recorded.state = state;
  },
  log: ({ event, node_id }) => {
    if (event === 'started' && node_id !== undefined) recorded.path.push(node_id);
  },
  reply: (message) => {
    recorded.replies.push(message);
    recorded.handed.push(message);
  },
  text: ({ chunk, ...piece }) => {
    if (chunk) recorded.handed.push(toTextReply(piece, chunk));
  },
});

/** A clock whose wall time can be moved; what measures the work of the run stays as it is. */
function movableClock(clock: Ports['clock']) {
  let ahead = 0;
  const now = () => clock.now() + ahead;
  const moveTo = (time: string) => {
    ahead += Math.max(0, Date.parse(time) - now());
  };
  return { clock: { ...clock, now }, moveTo };
}

type Next =
  | { readonly resumeWith: Pick<RunOptions, 'snapshot' | 'answer' | 'sentEvents'> }
  | { readonly ending: DryRun['ending'] };

interface Progress {
  /** The answers that are left. */
  readonly answers: Json[];
  /** The events that are left. */
  readonly events: NonNullable<FlowTest['events']>;
  readonly now: () => number;
  readonly recorded: Recorded;
  readonly moveTo: (time: string) => void;
}

function next(outcome: Outcome, progress: Progress): Next {
  switch (outcome.status) {
    case 'completed':
    case 'failed':
      return { ending: outcome };
    case 'refused':
      return stuck(outcome.error.message);
    case 'auth_required':
      return stuck('The flow needs connections.');
    case 'yielded':
      return { resumeWith: { snapshot: outcome.snapshot } };
    case 'waiting':
    case 'input_required':
      return sendNext(outcome.snapshot, progress) ?? passTime(outcome, progress);
  }
}

function passTime(outcome: Paused, progress: Progress): Next {
  if (outcome.status === 'input_required') return answerNext(outcome, progress);
  progress.moveTo(outcome.until);
  return { resumeWith: { snapshot: outcome.snapshot } };
}

type Paused = Extract<Outcome, { status: 'waiting' | 'input_required' }>;

/** Undefined if the run waits for none of the events that are left. */
function sendNext(snapshot: Snapshot, { events, now }: Progress): Next | undefined {
  for (const { id, event, key } of findAwaitedEvents(snapshot)) {
    const at = events.findIndex((each) => each.event === event && String(each.key ?? key) === key);
    const [sent] = at < 0 ? [] : events.splice(at, 1);
    if (!sent) continue;
    const received_at = new Date(now()).toISOString();
    const value = { event, key, id: `test-${events.length}`, data: sent.data ?? {}, received_at };
    const received: ReceivedEvent = { id, ref: `${received_at}#${events.length}`, value };
    return { resumeWith: { snapshot, sentEvents: [received] } };
  }
  return undefined;
}

const stuck = (why: string): Next => ({ ending: { status: 'stuck', why } });

/** If no answer is left, the question times out, provided that it has a time limit. */
function answerNext(
  { requests: [request], until, snapshot }: Extract<Outcome, { status: 'input_required' }>,
  { answers, recorded, moveTo }: Progress,
): Next {
  if (request) recorded.requests.push(request);
  const given = answers.shift();
  if (given !== undefined && request)
    return { resumeWith: { snapshot, answer: { id: request.id, ...toAnswer(given) } } };
  if (until === undefined)
    return stuck(
      `The node "${request?.node_id}" asks a question, and the test has no answer left: add one to \`answers\`.`,
    );
  moveTo(until);
  return { resumeWith: { snapshot } };
}

/** A value or, as `{a2a: {message}}`, the message of an A2A client. */
function toAnswer(given: Json): Omit<Answer, 'id'> {
  const { message } = isObject(given) && isObject(given.a2a) ? given.a2a : {};
  return isObject(message) && isSentMessage(message)
    ? { value: readSentAnswer(message), message }
    : { value: given };
}
