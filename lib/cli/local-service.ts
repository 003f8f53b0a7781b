// The service that `npm start` runs on this machine, for scripts of operators: they need none of its tables and keys named.
import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { resolveHome } from '#lib/local/home.ts';

const variables = z.looseObject({ SIGNING_KEY_ID: z.string(), CONTROL_TABLE: z.string() });
export type LocalService = Pick<z.infer<typeof variables>, 'SIGNING_KEY_ID' | 'CONTROL_TABLE'>;

/** From then on, this process works on it, also with its engines. Throws if none runs. */
export function enterLocalService(): LocalService {
  const { folder, environment } = resolveHome();
  if (!existsSync(environment))
    throw new Error(`no service runs with ${folder}: start it with \`npm start\`, or set AGENT_FLOW_HOME`);
  const found = variables.parse(JSON.parse(readFileSync(environment, 'utf8')));
  Object.assign(process.env, found);
  return found;
}
