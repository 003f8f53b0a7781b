// Starts workers that die by SIGKILL at their k-th AWS call, of whichever service: before it arrives or
// after.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AwsProxy, startAwsProxy, type Verdict } from '../aws-proxy.ts';
import { context } from '../invocation.ts';
import { batch } from '../runs.ts';

const services = ['DYNAMODB', 'KMS', 'SQS'] as const;

interface Death {
  readonly call: number;
  readonly arrives: boolean;
}

/** True when the worker was through before its call came. */
export async function workUntilKilled(body: string, remainingMs: number, death: Death): Promise<boolean> {
  let calls = 0;
  const judge = (): Verdict => {
    calls += 1;
    if (calls < death.call) return 'pass';
    child.kill('SIGKILL');
    return death.arrives && calls === death.call ? 'lose answer' : 'reset';
  };
  const proxies = await Promise.all(
    services.map((service) => startAwsProxy(process.env[`AWS_ENDPOINT_URL_${service}`] ?? '', judge)),
  );
  const child = newWorker(endpoints(proxies));
  const isAlive = await handled(child, [body], remainingMs);
  await Promise.all(proxies.map((proxy) => proxy.close()));
  return isAlive;
}

/** The same for a batch, where the test decides when the worker dies. */
export async function workUnlessKilled(
  bodies: readonly string[],
  giveKill: (kill: () => void) => void,
): Promise<boolean> {
  const child = newWorker({});
  giveKill(() => void child.kill('SIGKILL'));
  return await handled(child, bodies, 900_000);
}

const newWorker = (env: NodeJS.ProcessEnv): ChildProcess =>
  fork(new URL('crashing-worker-process.ts', import.meta.url).pathname, {
    env: { ...process.env, ...env },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });

async function handled(child: ChildProcess, bodies: readonly string[], remainingMs: number) {
  const ended = once(child, 'exit');
  await Promise.race([once(child, 'message'), ended]);
  const survived = once(child, 'message').then(() => true);
  child.send({ event: batch(bodies), context, remainingMs });
  const isAlive = await Promise.race([survived, ended.then(() => false)]);
  await ended;
  return isAlive;
}

/** The addresses of queues are full URLs, which the SDK prefers to the endpoint. */
function endpoints(proxies: readonly AwsProxy[]) {
  const urls = services.map((service, n) => [`AWS_ENDPOINT_URL_${service}`, proxies[n]?.url ?? ''] as const);
  const sqs = proxies[services.indexOf('SQS')]?.url ?? '';
  const queues = ['RUN_QUEUE_URL', 'RUN_DEAD_LETTER_QUEUE_URL'].map(
    (name) => [name, process.env[name]?.replace(/^http:\/\/[^/]+/, sqs)] as const,
  );
  return Object.fromEntries([...urls, ...queues]);
}
