// Keeps a waiting connection open: every ten seconds it sends a heartbeat and checks that the caller is still
// authorised.

/**
 * Many proxies close a connection that is idle for 60 s, API Gateway an edge-optimised one after 30 s. With
 * the 45 s for which a process remembers that a key is in force (`lib/access/api-key.ts`), a stream ends
 * within 55 s of the key's revocation.
 */
export const beatMs = 10_000;

interface Heartbeat {
  /** A space before JSON, a comment between server-sent events. */
  readonly beat: string;
  readonly intervalMs?: number;
  /** Called at each beat, and before anything else is sent once a beat is due. */
  readonly isAdmitted?: () => Promise<boolean>;
  /** The last chunk for a caller who is no longer admitted. */
  readonly refusal?: string;
}

/** Yields the chunks of the source, with heartbeats in between. */
export async function* withHeartbeat(
  source: AsyncIterable<string>,
  { beat, intervalMs = beatMs, isAdmitted = async () => true, refusal }: Heartbeat,
): AsyncGenerator<string> {
  const iterator = source[Symbol.asyncIterator]();
  let nextBeat = performance.now() + intervalMs;
  try {
    for (let next = iterator.next(); ; ) {
      const winner = await within(Math.max(nextBeat - performance.now(), 0), next);
      if (winner?.done) return;
      if (performance.now() >= nextBeat) {
        nextBeat = performance.now() + intervalMs;
        if (!(await isAdmitted())) {
          if (refusal !== undefined) yield refusal;
          return;
        }
        if (winner === undefined) yield beat;
      }
      if (winner === undefined) continue;
      yield winner.value;
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

interface LateAnswer extends Pick<Heartbeat, 'beat' | 'intervalMs'> {
  /** What is written for an error, once the answer has begun; without it, the connection is broken. */
  readonly writeError?: () => string;
}

/**
 * One answer that takes its time: its text, if that is there before the first heartbeat is due, as most are; else a
 * stream of heartbeats and the text, which costs more than the text alone. An error is thrown until the answer begins.
 */
export async function waitWithHeartbeat(
  text: Promise<string>,
  { beat, intervalMs = beatMs, writeError }: LateAnswer,
): Promise<{ readonly text: string } | { readonly stream: AsyncIterable<string> }> {
  const early = await within(intervalMs, text);
  if (early !== undefined) return { text: early };
  return { stream: beginWithBeat(writeError ? text.catch(writeError) : text, { beat, intervalMs }) };
}

async function* beginWithBeat(text: Promise<string>, heartbeat: Heartbeat): AsyncGenerator<string> {
  try {
    yield heartbeat.beat;
    yield* withHeartbeat(once(text), heartbeat);
  } finally {
    // The stream of a client that has left closes when the work is done: Lambda freezes the function then.
    await text.catch(() => undefined);
  }
}

async function* once(text: Promise<string>): AsyncGenerator<string> {
  yield await text;
}

/** Undefined if the time is over before the promise settles. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
