// The time of one attempt of a node or of a part of it, and its calls of ports within that time.

import { type Compute, computeFor } from '../expression/compute.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { NodeCall } from '../ports/node-call.ts';
import type { CompiledNode } from './node-context.ts';
import type { Ports } from './ports.ts';
import type { Cursor, Entered } from './scope.ts';
import { createStop, ignore, type Stop } from './stop.ts';

export interface AttemptTime {
  /** Before slow work: throws when time is up, and lets timers run now and then. */
  readonly pace: () => Promise<void> | undefined;
  /** Stops with the scope and at the node's own limit. Made when it is first needed, because most nodes never wait. */
  readonly stop: () => Stop;
  /** Ends with the port, the node's time or the scope, whichever is first; the port's signal aborts at the two latter. */
  readonly calling: <T>(port: (call: NodeCall) => Promise<T>) => Promise<T>;
  /** Evaluations elsewhere, within the same time. */
  readonly compute: Compute | undefined;
  /** A shorter time for a part of the attempt, which ends with this one at the latest. */
  readonly within: (part: { readonly what: string; readonly seconds: number }) => AttemptTime;
  readonly close: () => void;
}

export function createTime({ run, stop }: Cursor, node: CompiledNode, entered: Entered): AttemptTime {
  const seconds = node.timeoutSeconds ?? (node.isLong ? Number.POSITIVE_INFINITY : limits.nodeSecondsDefault);
  const { visit, attempt } = entered;
  const caller = { runId: run.id, nodeId: node.id, visit, attempt };
  return timeWithin(stop, { what: 'node', seconds, ports: run.ports, caller });
}

interface Span {
  /** What passes its limit then. */
  readonly what: string;
  readonly seconds: number;
  readonly ports: Ports;
  readonly caller: Omit<NodeCall, 'signal'>;
}

function timeWithin(outer: Stop, span: Span): AttemptTime {
  const { what, seconds, ports, caller } = span;
  const { clock } = ports;
  const startedAt = clock.monotonic();
  const endsAt = startedAt + seconds * 1000;
  const timeUp = () => new NodeError('timeout', `The ${what} passed its time limit of ${seconds} s.`);
  let breathedAt = startedAt;
  let own: Stop | undefined;

  const pace = (): Promise<void> | undefined => {
    const stopped = outer.error();
    if (stopped) throw stopped;
    const now = clock.monotonic();
    if (now >= endsAt) throw timeUp();
    if (now - breathedAt < breathMs) return undefined;
    breathedAt = now;
    return clock.sleep(0, neverAborted);
  };

  const ownStop = () => {
    own ??= createStop(outer, { clock, ms: endsAt - clock.monotonic(), error: timeUp });
    return own;
  };

  const calling = async <T>(port: (call: NodeCall) => Promise<T>): Promise<T> => {
    await pace();
    const controller = new AbortController();
    const ended = Promise.withResolvers<never>();
    // Nobody else hears of it when the port throws at once.
    ended.promise.catch(ignore);
    const forget = ownStop().onStop((error) => {
      ended.reject(error);
      controller.abort(error);
    });
    try {
      const { signal } = controller;
      const compute = computeFor(ports, (evaluate) => evaluate(signal));
      return await Promise.race([port({ ...caller, signal, ...(compute && { compute }) }), ended.promise]);
    } finally {
      forget();
    }
  };

  const within = (part: Pick<Span, 'what' | 'seconds'>) => timeWithin(ownStop(), { ...span, ...part });

  const compute = computeFor(ports, (evaluate) => calling(({ signal }) => evaluate(signal)));

  return { pace, stop: ownStop, calling, compute, within, close: () => own?.close() };
}

/** How long expressions may compute before timers get a turn, so that a cancellation and the caller's heartbeat are not held up. */
const breathMs = 25;

const neverAborted = new AbortController().signal;
