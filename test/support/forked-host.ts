// Starts the service in a process of its own and tells where it is.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod';

export const service = z.object({
  baseUrl: z.string(),
  /** Where commands for the local host go; none for a deployed stack. */
  controlUrl: z.string().optional(),
  /** The URL of the scripted model. */
  scriptedModelUrl: z.string().optional(),
  /** The URL of STS and of services of AWS that take the sessions of roles. */
  awsUrl: z.string().optional(),
  /** What the functions see, for rules that a test calls in its own process. */
  environment: z.record(z.string(), z.string()),
  tables: z.record(z.string(), z.string()),
  queues: z.record(z.string(), z.object({ name: z.string(), url: z.string(), arn: z.string() })),
  keys: z.record(z.string(), z.object({ id: z.string(), arn: z.string() })),
});
export type Service = z.infer<typeof service>;

export interface ForkedHost {
  readonly service: Service;
  readonly stop: () => Promise<void>;
  /** As `kill -9` does. */
  readonly kill: () => Promise<void>;
}

interface HostOptions {
  /** Such as `--expose-gc`. */
  readonly nodeOptions?: readonly string[];
  /** The limits of the tenant; the default is limits that no test reaches. */
  readonly limits?: object;
  /** The new host serves requests as a second instance of this one. */
  readonly secondInstanceOf?: Service;
  /** The folder for data that survives the host; in memory without it. */
  readonly dataDir?: string;
  /** Where the service is reached, through a proxy. */
  readonly publicUrl?: string;
  /** Any free one by default. */
  readonly port?: number;
  /** Where it is reached too. */
  readonly otherAddresses?: readonly string[];
  /** The id of the tenant, in place of `test`. */
  readonly tenantId?: string;
  /** For `/calls` of the control server. */
  readonly countsDynamodb?: boolean;
  /** The file to which everything goes that it asks of DynamoDB, for one host only. */
  readonly recording?: string | undefined;
}

export async function forkHost(options: HostOptions = {}): Promise<ForkedHost> {
  const { nodeOptions = [], limits, secondInstanceOf, dataDir, publicUrl } = options;
  const { port = 0, otherAddresses = [], countsDynamodb = false, tenantId, recording = '' } = options;
  const host = fork(new URL('host-process.ts', import.meta.url).pathname, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      ...(limits && { TENANT_LIMITS: JSON.stringify(limits) }),
      ...(secondInstanceOf && { SECOND_INSTANCE_OF: JSON.stringify(secondInstanceOf.environment) }),
      ...(dataDir && { DATA_DIR: dataDir }),
      ...(publicUrl && { PUBLIC_URL: publicUrl }),
      HOST_PORT: String(port),
      ...(otherAddresses.length > 0 && { OTHER_ADDRESSES: otherAddresses.join(',') }),
      ...(tenantId && { TEST_TENANT: tenantId }),
      ...(countsDynamodb && { COUNT_DYNAMODB: 'yes' }),
      RECORD_DYNAMODB: recording,
    },
    execArgv: ['--disable-warning=ExperimentalWarning', ...nodeOptions],
  });
  const stop = async () => {
    const ended = once(host, 'exit');
    if (host.connected) host.disconnect();
    if (host.exitCode === null) await ended;
  };
  const kill = async () => {
    const ended = once(host, 'exit');
    host.kill('SIGKILL');
    await ended;
  };
  return { kill, service: service.parse(await firstMessage(host)), stop };
}

async function firstMessage(host: ChildProcess): Promise<unknown> {
  const exited = once(host, 'exit').then(([code]) => {
    throw new Error(`The local host ended with exit code ${code} before it was ready; its reason is above.`);
  });
  exited.catch(() => {});
  const [message] = await Promise.race([once(host, 'message'), exited]);
  return message;
}
