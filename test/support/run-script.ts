// Starts a script of `bin/` in a separate process, as a user does.
import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { testedService } from './tested-service.ts';
import { type WatchedProcess, watchProcess } from './watched-process.ts';

/** For the environment of a shell that was never set up for AWS. */
export const unsetAws: NodeJS.ProcessEnv = {
  AWS_REGION: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_PROFILE: undefined,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
};

/** What `npm start` would take for a model: the developer who runs the tests may have a key. */
const unsetModels: NodeJS.ProcessEnv = {
  OPENAI_API_KEY: undefined,
  OPENAI_BASE_URL: undefined,
  ANTHROPIC_API_KEY: undefined,
  AWS_BEARER_TOKEN_BEDROCK: undefined,
  AWS_PROFILE: undefined,
};

export function runScript(
  name: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): WatchedProcess {
  const file = `bin/${name}.ts`;
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...shell(), ...unsetModels, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return watchProcess(child, file);
}

/** Without the variables of the functions, which the tests have too. */
function shell(): NodeJS.ProcessEnv {
  const { environment } = testedService();
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in environment)));
}
