// The time of one attempt of a node, and its calls of ports within that time.
import type { CompiledNode } from './compile.ts';
import type { Cursor, Entered } from './cursor.ts';
import { limits } from './limits.ts';
import { NodeError } from './node-error.ts';
import type { NodeCall } from './ports.ts';
import { createStop, type Stop } from './stop.ts';

export interface AttemptTime {
  /** Before slow work: throws when time is up, and lets timers run now and then. */
  readonly pace: () => Promise<void> | undefined;
  /** Stops with the scope and at the node's own limit. Made when it is first needed, because most nodes never wait. */
  readonly stop: () => Stop;
  /** Ends with the port, the node's time or the scope, whichever is first; the port's signal aborts at the two latter. */
  readonly calling: <T>(port: (call: NodeCall) => Promise<T>) => Promise<T>;
  readonly close: () => void;
}

export function createTime({ run, stop }: Cursor, node: CompiledNode, entered: Entered): AttemptTime {
  const { clock } = run.ports;
  const startedAt = clock.monotonic();
  const seconds = node.timeoutSeconds ?? (node.isLong ? Number.POSITIVE_INFINITY : limits.nodeSecondsDefault);
  const endsAt = startedAt + seconds * 1000;
  const timeUp = () => new NodeError('timeout', `The node passed its time limit of ${seconds} s.`);
  let breathedAt = startedAt;
  let own: Stop | undefined;

  const pace = (): Promise<void> | undefined => {
    const stopped = stop.error();
    if (stopped) throw stopped;
    const now = clock.monotonic();
    if (now >= endsAt) throw timeUp();
    if (now - breathedAt < breathMs) return undefined;
    breathedAt = now;
    return clock.sleep(0, neverAborted);
  };

  const ownStop = () => {
    own ??= createStop(stop, { clock, ms: endsAt - clock.monotonic(), error: timeUp });
    return own;
  };

  const calling = async <T>(port: (call: NodeCall) => Promise<T>): Promise<T> => {
    await pace();
    const controller = new AbortController();
    const ended = Promise.withResolvers<never>();
    const forget = ownStop().onStop((error) => {
      ended.reject(error);
      controller.abort(error);
    });
    const { visit, attempt } = entered;
    const call = { runId: run.id, nodeId: node.id, visit, attempt, signal: controller.signal };
    try {
      return await Promise.race([port(call), ended.promise]);
    } finally {
      forget();
    }
  };

  return { pace, stop: ownStop, calling, close: () => own?.close() };
}

/** How long expressions may compute before timers get a turn, so that a cancellation and the caller's heartbeat are not held up. */
const breathMs = 25;

const neverAborted = new AbortController().signal;
