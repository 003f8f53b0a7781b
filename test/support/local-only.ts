// Which tests of the API need the service of this machine, and why: what a file imports, directly or through others, says
// whether it can be run with a deployed service (`npm run test:deployed`). So no list of them can be out of date.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { resolveImport } from './architecture.ts';
import { listImports } from './source-text.ts';

/** All tests of the API. */
export const apiTests = 'test/api/**/*.test.ts';

/** What only works with the service of this machine. */
const needs: readonly (readonly [imported: RegExp, why: string])[] = [
  [/^test\/support\/control\.ts$/, 'moves the clock and the queues of the service'],
  [/^test\/support\/model-script\.ts$/, 'writes what the scripted model answers'],
  [/^lib\/local\/listen\.ts$/, 'has a server on this machine that the service calls'],
  [
    /^test\/api\/(a2a\/(card-root|cross-origin)|api-key\/several-credentials|discovery\/ai-catalog|methods|registry\/unknown-names|run\/evaluate-code)\.test\.ts$/,
    'expects the settings of the service of this machine',
  ],
  [/^test\/support\/aws-roles\.ts$/, 'uses the roles of an AWS that is made up'],
  [/^test\/support\/(call-cost|judged-calls)\.ts$/, 'counts the calls of functions in its process'],
  [/^test\/support\/(forked-host|local-start|server-process)\.ts$/, 'starts a service of its own'],
  [/^(bin|functions)\//, 'calls functions and programs in its process'],
  [/^lib\/connector\/request-state\.ts$/, 'makes what only the service makes, with its key'],
  [/^lib\/(dynamo\/|queue\.ts|[\w/-]+-items\.ts)/, 'looks into the tables and the queues'],
];

/** The reason why a test needs the service of this machine; undefined if it does not. `path` is from the root. */
export function whyLocal(path: string): string | undefined {
  const reached = new Set([path]);
  for (const each of reached) {
    const reason = needs.find(([imported]) => imported.test(each))?.[1];
    if (reason !== undefined) return reason;
    // What the code of the service imports is not what a test does.
    if (each.startsWith('test/')) for (const target of importsOf(each)) reached.add(target);
  }
  return undefined;
}

/** The tests that cannot be run with a deployed service. */
export const listLocalTests = (): readonly string[] =>
  globSync(apiTests).filter((path) => whyLocal(path) !== undefined);

const known = new Map<string, readonly string[]>();

function importsOf(path: string): readonly string[] {
  const imports = known.get(path) ?? readImports(path);
  known.set(path, imports);
  return imports;
}

/** A type is not loaded, and needs nothing. */
const typeImport = /^(?:import|export) type [^;]*? from '[^']+';/gm;

function readImports(path: string): readonly string[] {
  if (!path.endsWith('.ts') || !existsSync(path)) return [];
  return listImports(readFileSync(path, 'utf8').replace(typeImport, '')).map((specifier) =>
    resolveImport(path, specifier),
  );
}
