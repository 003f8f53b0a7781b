// Starts processes that carry out one operation each and die by SIGKILL at their k-th call of DynamoDB:
// before it or after it arrives.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod';
import { startAwsProxy, type Verdict } from '../aws-proxy.ts';
import { type Acknowledgement, acknowledgement, type Operation } from './operations.ts';

const answer = z.object({ acknowledgement: acknowledgement.optional() });

export interface CrashTarget {
  /** What it could still say; undefined when it was dead by then. */
  readonly run: (operation: Operation) => Promise<Acknowledgement | undefined>;
}

export async function startCrashTarget(
  upstream: string,
  death: { readonly call: number; readonly arrives: boolean },
): Promise<CrashTarget> {
  let calls = 0;
  const judge = (): Verdict => {
    calls += 1;
    if (calls < death.call) return 'pass';
    child.kill('SIGKILL');
    return death.arrives && calls === death.call ? 'lose answer' : 'reset';
  };
  const proxy = await startAwsProxy(upstream, judge);
  const child = fork(new URL('crash-target-process.ts', import.meta.url).pathname, {
    env: { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: proxy.url },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error('The process ended before it was ready.');
    }),
  ]);
  const run = async (operation: Operation) => {
    let said: unknown;
    child.once('message', (message) => {
      said = message;
    });
    child.send(operation);
    await ended;
    await proxy.close();
    return said === undefined ? undefined : answer.parse(said).acknowledgement;
  };
  return { run };
}
