// Starts the service once for a test project (vitest globalSetup) and tells the tests where it is. With BASE_URL the same tests run
// against a deployed stack instead.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { TestProject } from 'vitest/node';
import * as z from 'zod';

const service = z.object({
  baseUrl: z.string(),
  /** Where commands for the local host go; none for a deployed stack. */
  controlUrl: z.string().optional(),
  /** What the functions see, for rules that a test calls in its own process. */
  environment: z.record(z.string(), z.string()),
  tables: z.record(z.string(), z.string()),
  queues: z.record(z.string(), z.object({ name: z.string(), url: z.string(), arn: z.string() })),
  keys: z.record(z.string(), z.object({ id: z.string(), arn: z.string() })),
});
export type Service = z.infer<typeof service>;

declare module 'vitest' {
  interface ProvidedContext {
    service: Service;
  }
}

export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { BASE_URL } = process.env;
  if (BASE_URL) {
    provide('service', {
      baseUrl: BASE_URL.replace(/\/$/, ''),
      environment: {},
      tables: {},
      queues: {},
      keys: {},
    });
    return undefined;
  }
  const host = fork(new URL('host-process.ts', import.meta.url).pathname, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  provide('service', service.parse(await firstMessage(host)));
  return async () => {
    const ended = once(host, 'exit');
    host.disconnect();
    await ended;
  };
}

async function firstMessage(host: ChildProcess): Promise<unknown> {
  const exited = once(host, 'exit').then(([code]) => {
    throw new Error(`The local host ended with exit code ${code} before it was ready; its reason is above.`);
  });
  exited.catch(() => {});
  const [message] = await Promise.race([once(host, 'message'), exited]);
  return message;
}
