// One run of a flow under test: no node reaches the outside world, questions are answered by the test, and nobody waits for a time to come.
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { FlowTest } from '../definition/flow-test.ts';
import { toTextReply } from '../engine/artifacts.ts';
import type { CompiledFlow } from '../engine/node-context.ts';
import type { Reply } from '../engine/output.ts';
import type { InputRequest } from '../engine/pause.ts';
import type { Ports } from '../engine/ports.ts';
import { type FlowInput, type Outcome, type RunOptions, runFlow } from '../engine/run-flow.ts';
import type { ComputePort } from '../expression/compute.ts';
import { definedOnly } from '../format/json-value.ts';
import { mockedFlow } from './mocked-flow.ts';
import { nullPorts } from './null-ports.ts';

/** What became of the run: `stuck` says why it could not be judged. */
export interface DryRun extends Seen {
  readonly ending: Ended | { readonly status: 'stuck'; readonly why: string };
}

export type Ended = Extract<Outcome, { readonly status: 'completed' | 'failed' }>;

interface Seen {
  /** Ids of the nodes that were entered, in order. */
  readonly path: string[];
  /** What each node gave last; its error as `{error}`. */
  readonly nodes: Record<string, Json>;
  readonly replies: Reply[];
  /** Replies and, among them, the text of nodes that is for the caller. */
  readonly handed: Reply[];
  /** What was asked, in order. */
  readonly requests: InputRequest[];
  /** As of the last node but one. */
  state: JsonObject;
}

export interface Stage {
  readonly clock: Ports['clock'];
  readonly compute?: ComputePort | undefined;
  readonly env: JsonObject;
  readonly timeoutMs: number;
}

export async function dryRun(flow: CompiledFlow, test: FlowTest, stage: Stage): Promise<DryRun> {
  const { env, timeoutMs, compute } = stage;
  const seen: Seen = { path: [], nodes: {}, replies: [], handed: [], requests: [], state: flow.state };
  const { outbound, signal, reportMissingMock, missingMock } = nullPorts();
  const { clock, moveTo } = movableClock(stage.clock);
  const onOutput = (id: string, output: Json) => {
    seen.nodes[id] = output;
  };
  const mocked = mockedFlow(flow, test.mocks ?? {}, { onOutput, reportMissingMock });
  const ports = { ...outbound, clock, ...(compute && { compute }), ...listening(seen) };
  const options = { runId: 'test', input: inputOf(test), env, startedAt: clock.now(), ports, signal };
  const endAt = clock.monotonic() + timeoutMs;
  const answers = [...(test.answers ?? [])];
  let step: Next = { resumeWith: {} };
  while ('resumeWith' in step) {
    const left = endAt - clock.monotonic();
    const outcome = await runFlow(mocked, { ...options, timeoutMs: left, ...step.resumeWith });
    step = next(outcome, { answers, seen, moveTo });
  }
  const why = missingMock();
  return { ...seen, ending: why === undefined ? step.ending : { status: 'stuck', why } };
}

export const inputOf = ({
  input: { message = '', user_variables = {}, event, a2a },
}: FlowTest): FlowInput => ({
  message,
  user_variables,
  ...(event && { event }),
  ...(a2a && { a2a: definedOnly(a2a) }),
});

const listening = (seen: Seen): Pick<Ports, 'checkpoint' | 'log' | 'reply' | 'text'> => ({
  checkpoint: async ({ state }) => {
    if (state) seen.state = state;
  },
  log: ({ event, node_id }) => {
    if (event === 'started' && node_id !== undefined) seen.path.push(node_id);
  },
  reply: (said) => {
    seen.replies.push(said);
    seen.handed.push(said);
  },
  text: ({ chunk, ...piece }) => {
    if (chunk) seen.handed.push(toTextReply(piece, chunk));
  },
});

/** Wall time that jumps; what measures the work of the run does not. */
function movableClock(clock: Ports['clock']) {
  let ahead = 0;
  const now = () => clock.now() + ahead;
  const moveTo = (time: string) => {
    ahead += Math.max(0, Date.parse(time) - now());
  };
  return { clock: { ...clock, now }, moveTo };
}

type Next =
  | { readonly resumeWith: Pick<RunOptions, 'snapshot' | 'answer'> }
  | { readonly ending: DryRun['ending'] };

interface Going {
  /** Those that are left. */
  readonly answers: Json[];
  readonly seen: Seen;
  readonly moveTo: (time: string) => void;
}

function next(outcome: Outcome, going: Going): Next {
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
      going.moveTo(outcome.until);
      return { resumeWith: { snapshot: outcome.snapshot } };
    case 'input_required':
      return answered(outcome, going);
  }
}

const stuck = (why: string): Next => ({ ending: { status: 'stuck', why } });

/** Without an answer left, the time of the question runs out, if it has one. */
function answered(
  { requests: [request], until, snapshot }: Extract<Outcome, { status: 'input_required' }>,
  { answers, seen, moveTo }: Going,
): Next {
  if (request) seen.requests.push(request);
  const value = answers.shift();
  if (value !== undefined && request) return { resumeWith: { snapshot, answer: { id: request.id, value } } };
  if (until === undefined)
    return stuck(`The node "${request?.node_id}" asks, and the test has no answer left for it.`);
  moveTo(until);
  return { resumeWith: { snapshot } };
}
