// One attempt of one node: its time limit, its calls through the ports, and what they cost.
import type { CompiledNode } from './compile.ts';
import type { RenderAt } from './expression/template.ts';
import { limits } from './limits.ts';
import { NodeError } from './node-error.ts';
import type { NodeContext } from './nodes/node-type.ts';
import type { ModelAnswer, NodeCall } from './ports.ts';
import type { Run } from './run.ts';
import { ignore } from './stop.ts';

export interface Attempt {
  readonly context: NodeContext;
  /** What the attempt did, for its log entry. */
  readonly trace: { tokens?: { input: number; output: number }; http?: { host: string; status: number } };
}

export function createAttempt(run: Run, node: CompiledNode, visit: number, attempt: number): Attempt {
  const { clock } = run.ports;
  const startedAt = clock.monotonic();
  const seconds = node.timeoutSeconds ?? limits.nodeSecondsDefault;
  const endsAt = startedAt + seconds * 1000;
  const timeUp = () => new NodeError('timeout', `The node passed its time limit of ${seconds} s.`);
  const trace: Attempt['trace'] = {};
  let breathedAt = startedAt;

  const pace = (): Promise<void> | undefined => {
    const stopped = run.stop.error();
    if (stopped) throw stopped;
    const now = clock.monotonic();
    if (now >= endsAt) throw timeUp();
    if (now - breathedAt < breathMs) return undefined;
    breathedAt = now;
    return clock.sleep(0, neverAborted);
  };

  /** Ends with the port, the node's time or the run, whichever is first; the port's signal aborts at the two latter. */
  const calling = async <T>(port: (call: NodeCall) => Promise<T>): Promise<T> => {
    await pace();
    const controller = new AbortController();
    const timer = new AbortController();
    const ended = Promise.withResolvers<never>();
    const end = (error: NodeError) => {
      ended.reject(error);
      controller.abort(error);
    };
    const forget = run.stop.onStop(end);
    clock.sleep(endsAt - clock.monotonic(), timer.signal).then(() => end(timeUp()), ignore);
    const call = { runId: run.id, nodeId: node.id, visit, attempt, signal: controller.signal };
    try {
      return await Promise.race([port(call), ended.promise]);
    } finally {
      forget();
      timer.abort();
    }
  };

  const at: RenderAt = { scope: run.scope, pace };
  const context: NodeContext = {
    nodeId: node.id,
    idempotencyKey: `${run.id}.${node.id}.${visit}`,
    at,
    model: (request) => modelCall(run, trace, () => calling((call) => run.ports.model(request, call))),
    http: async (request) => {
      const answer = await calling((call) => run.ports.http(request, call));
      trace.http = { host: URL.parse(request.url)?.host ?? '', status: answer.status };
      return answer;
    },
    reply: (said) => run.ports.reply({ node_id: node.id, ...said }),
    goingOn: (message) =>
      run.log.node(node, { level: 'warn', event: 'retry', status: 'running', message, attempt }),
  };
  return { context, trace };
}

/** How long expressions may compute before timers get a turn, so that a cancellation and the caller's heartbeat are not held up. */
const breathMs = 25;

const neverAborted = new AbortController().signal;

/** Every call counts, also one that fails; tokens count as the provider tells them. */
async function modelCall(
  run: Run,
  trace: Attempt['trace'],
  call: () => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  if (run.modelCalls >= run.limits.modelCalls) {
    throw new NodeError(
      'limit.model_calls',
      `The run passed its limit of ${run.limits.modelCalls} model calls.`,
    );
  }
  run.modelCalls++;
  const answer = await call();
  const { input, output } = answer.tokens;
  trace.tokens = { input: (trace.tokens?.input ?? 0) + input, output: (trace.tokens?.output ?? 0) + output };
  run.tokens += input + output;
  if (run.tokens > run.limits.tokens) {
    throw new NodeError('limit.tokens', `The run passed its limit of ${run.limits.tokens} tokens.`);
  }
  return answer;
}
