// Runs `agent-flow` as a user of the service does, whose home has nothing else.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCaller } from './caller.ts';
import { runScript } from './run-script.ts';
import { serviceUrl } from './service-url.ts';

export interface Ran {
  readonly code: number | null;
  readonly printed: string;
  readonly output: string;
  /** What it printed to stdout, as JSON. */
  readonly json: () => ReturnType<typeof JSON.parse>;
}

export interface UserHome {
  readonly folder: string;
  readonly run: (args: readonly string[], env?: NodeJS.ProcessEnv, input?: string) => Promise<Ran>;
  /** With the key of the caller in the environment. */
  readonly as: (caller: Pick<TestCaller, 'key' | 'workspaceid'>, ...args: string[]) => Promise<Ran>;
  readonly remove: () => Promise<void>;
}

export async function newUserHome(): Promise<UserHome> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-flow-user-'));
  const none = {
    AGENT_FLOW_URL: undefined,
    AGENT_FLOW_KEY: undefined,
    AGENT_FLOW_PROFILE: undefined,
    AGENT_FLOW_WORKSPACE: undefined,
    npm_command: undefined,
  };
  const run: UserHome['run'] = async (args, env = {}, input = '') => {
    const own = {
      ...none,
      NO_COLOR: '1',
      MODELS: undefined,
      XDG_CONFIG_HOME: folder,
      AGENT_FLOW_HOME: folder,
    };
    const script = runScript('flow', args, { ...own, ...env });
    script.child.stdin?.end(input);
    const code = await script.ended;
    return {
      code,
      printed: script.printed(),
      output: script.output(),
      json: () => JSON.parse(script.output()),
    };
  };
  return {
    folder,
    run,
    as: async ({ key, workspaceid }, ...args) =>
      await run(args, {
        AGENT_FLOW_URL: serviceUrl(),
        AGENT_FLOW_KEY: key,
        AGENT_FLOW_WORKSPACE: workspaceid,
      }),
    remove: async () => await rm(folder, { recursive: true }),
  };
}
