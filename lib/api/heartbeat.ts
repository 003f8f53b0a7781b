// Keeps a waiting connection open: something harmless at every beat until there is something to say.

/** Many proxies cut a connection that is silent for 60 s, API Gateway an edge-optimised one after 30 s. */
const beatMs = 15_000;

/** What the source yields, with beats in the pauses: a space before JSON, a comment between server-sent events. */
export async function* withHeartbeat(
  source: AsyncIterable<string>,
  beat: string,
  intervalMs = beatMs,
): AsyncGenerator<string> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (let next = iterator.next(); ; ) {
      const winner = await within(intervalMs, next);
      if (winner === undefined) {
        yield beat;
        continue;
      }
      if (winner.done) return;
      yield winner.value;
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

/** Undefined when the time is up first. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
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
