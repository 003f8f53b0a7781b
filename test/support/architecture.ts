// The rules of the code base as data, and the check that finds every breach of them. What each folder is for,
// CONTRIBUTING tells.
import { posix } from 'node:path';
import { findFunctions, lineCount, listImports, stripComments } from './source-text.ts';

export interface SourceFile {
  /** From the root of the project, such as `lib/registry/promote.ts`. */
  readonly path: string;
  readonly text: string;
}

/**
 * A file imports from its own folder and from the lines above. Folders of one line stand beside each other:
 * none imports another.
 */
const layers = [
  ['lib/json'],
  ['lib'],
  ['lib/dynamo', 'lib/flow/format', 'lib/schedule', 'lib/yaml'],
  ['lib/code', 'lib/flow/expression'],
  ['lib/flow/ports', 'lib/flow/schema'],
  ['lib/flow/engine'],
  ['lib/flow/nodes'],
  ['lib/flow/agent'],
  ['lib/flow/definition'],
  ['lib/flow/check', 'lib/flow/published', 'lib/flow/testing'],
  ['lib/access', 'lib/builder', 'lib/egress', 'lib/drawing'],
  [
    'lib/api-key',
    'lib/audit',
    'lib/connection',
    'lib/limits',
    'lib/model',
    'lib/registry',
    'lib/webhook-secret',
  ],
  ['lib/usage'],
  [
    'lib/a2a-client',
    'lib/discovery',
    'lib/environment',
    'lib/file',
    'lib/http',
    'lib/mcp',
    'lib/webhook-source',
  ],
  ['lib/console-files', 'lib/run', 'lib/page'],
  ['lib/delivery'],
  [
    'lib/a2a',
    'lib/agent-config',
    'lib/callback',
    'lib/dead-letter',
    'lib/memory',
    'lib/session',
    'lib/telemetry',
    'lib/trigger',
  ],
  ['lib/connector', 'lib/member', 'lib/migration', 'lib/workspace'],
  ['lib/oauth'],
  ['lib/inventory'],
  ['lib/verify'],
  ['lib/archive'],
  ['lib/routes', 'lib/worker'],
  ['functions'],
  ['lib/console'],
  ['lib/package'],
  ['lib/infra'],
  ['lib/site'],
  ['lib/local'],
  ['lib/cli'],
  ['bin', 'test'],
] as const;

interface ImportRule {
  readonly what: string;
  readonly imported: RegExp;
  readonly allowed: RegExp;
}

/** `imported` is a package, or a path from the root of the project. */
const importRules: readonly ImportRule[] = [
  {
    what: 'only lib/dynamo, lib/queue.ts, lib/kms.ts, lib/envelope.ts, lib/access/signer.ts, lib/session/user-pool.ts, lib/cli/stack-outputs.ts, lib/local/aws-access.ts and tests may import the AWS SDK',
    imported: /^@aws-sdk\//,
    allowed:
      /^lib\/(dynamo\/.*|queue|kms|envelope|access\/signer|session\/user-pool|cli\/stack-outputs|local\/aws-access)\.ts$|^test\//,
  },
  {
    what: 'only lib/infra, bin/app.ts and tests may import the CDK',
    imported: /^(aws-cdk-lib|constructs|cdk-nag)(\/|$)/,
    allowed: /^(lib\/infra|test)\/|^bin\/app\.ts$/,
  },
  {
    what: 'only bin, test, lib/cli and lib/local itself may know of lib/local',
    imported: /^lib\/local\//,
    allowed: /^(lib\/(local|cli)|bin|test)\//,
  },
  {
    what: 'only their writers and tests may import the OpenAPI document and samples, since functions must not carry them',
    imported: /^(zod-openapi$|lib\/routes\/(openapi|sample))/,
    allowed: /^(bin|test)\/|^lib\/routes\/(openapi|sample)[\w-]*\.ts$/,
  },
  {
    what: 'a function may not import another',
    imported: /^functions\//,
    allowed: /^(lib\/local|bin|test)\//,
  },
  {
    what: 'a function takes the routes of its own surface, not all',
    imported: /^lib\/routes\/routes\.ts$/,
    allowed: /^(lib\/(console|routes|infra|local|cli)|bin|test)\//,
  },
  {
    what: 'lib/flow is pure: no network, no files, no processes',
    imported: /^node:(?!util$)/,
    allowed: /^(?!lib\/flow\/)/,
  },
];

const forbiddenNames = new Set([
  ...[
    'utils',
    'util',
    'helpers',
    'helper',
    'common',
    'manager',
    'service',
    'impl',
    'base',
    'data',
    'info',
    'misc',
  ],
]);

const linesMax = { file: 400, functionFile: 30, function: 60, constructor: 80 } as const;

/** Every breach as a sentence that names the file; none means that all is well. */
export function breaches(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [
    ...importBreaches(file),
    ...sizeBreaches(file),
    ...nameBreaches(file),
    ...purityBreaches(file),
    ...headerBreaches(file),
  ]);
}

function importBreaches({ path, text }: SourceFile): string[] {
  const layer = findLayer(path);
  return listImports(text).flatMap((specifier) => {
    const target = resolveImport(path, specifier);
    const broken = importRules.filter(
      ({ imported, allowed }) => imported.test(target) && !allowed.test(path),
    );
    const isBelow = isOurs(target) && findLayer(target) > layer;
    const isBeside = isOurs(target) && findLayer(target) === layer && findFolder(target) !== findFolder(path);
    return [
      ...broken.map(({ what }) => `${path} imports ${target}: ${what}.`),
      ...(isBelow ? [`${path} imports ${target}: its layer comes later.`] : []),
      ...(isBeside ? [`${path} imports ${target}: the two folders stand beside each other.`] : []),
    ];
  });
}

const isOurs = (target: string): boolean => /^(lib|functions|bin|test)\//.test(target);

/** `#lib/errors.ts` and relative specifiers as paths from the root; packages stay. */
export function resolveImport(path: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
}

/** Such as `lib/run`, `lib/flow/engine`, `functions`, and `lib` for the files in it. */
function findFolder(path: string): string {
  const [top = '', subject = '', room = ''] = path.split('/');
  if (top !== 'lib' || subject.includes('.')) return top;
  return subject === 'flow' ? `lib/flow/${room}` : `lib/${subject}`;
}

function findLayer(path: string): number {
  const folder = findFolder(path);
  const found = layers.findIndex((folders) => folders.some((each) => each === folder));
  if (found < 0)
    throw new Error(`${path} is in no layer: add ${folder} to the layers in test/support/architecture.ts.`);
  return found;
}

function sizeBreaches({ path, text }: SourceFile): string[] {
  const fileMax = path.startsWith('functions/') ? linesMax.functionFile : linesMax.file;
  const lines = lineCount(text);
  const longFile = lines > fileMax ? [`${path} has ${lines} lines; at most ${fileMax} are allowed.`] : [];
  if (path.startsWith('test/')) return longFile;
  const tooLong = findFunctions(text).filter(
    (each) => each.lines > (each.name === 'constructor' ? linesMax.constructor : linesMax.function),
  );
  return [
    ...longFile,
    ...tooLong.map(
      (each) =>
        `${path}:${each.line} ${each.name} has ${each.lines} lines; at most ${linesMax.function} are allowed.`,
    ),
  ];
}

function nameBreaches({ path }: SourceFile): string[] {
  const parts = path.split('/').slice(path.startsWith('test/') ? 2 : 1);
  const names = parts.map((part) => part.replace(/(\.test|\.d)?\.ts$/, ''));
  const vague = names.filter((name) => forbiddenNames.has(name)).filter(() => !path.startsWith('test/'));
  const oddCase = names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name));
  return [
    ...vague.map((name) => `${path}: "${name}" says nothing; name it after what it does.`),
    ...oddCase.map((name) => `${path}: "${name}" is not kebab-case.`),
  ];
}

/** Clocks, randomness, network and environment reach the engine through its ports. */
function purityBreaches({ path, text }: SourceFile): string[] {
  if (!path.startsWith('lib/flow/')) return [];
  const found =
    /\b(Date\.now\(|new Date\(\)|performance\.|Math\.random\(|crypto\.|process\.|(?<!\.)fetch\()/.exec(
      stripComments(text),
    );
  return found ? [`${path} uses ${found[1]}: lib/flow is pure and gets such things through its ports.`] : [];
}

/** Function files are named after their route, which says it all. */
function headerBreaches({ path, text }: SourceFile): string[] {
  if (!/^(lib|bin)\//.test(path) || /^(\/\/ |\/\*\*)/.test(text)) return [];
  return [`${path} does not start with a sentence on what lives there.`];
}
