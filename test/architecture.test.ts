// The shape of the code base, checked: layers, imports, sizes, names, and that every route has all it needs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '#lib/errors.ts';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import type { Route } from '#lib/http/route.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { routeList } from '#lib/routes/routes.ts';
import { isolated, reloading } from '../vitest.config.ts';
import { breaches, type SourceFile } from './support/architecture.ts';
import { importCircles, mutualFolders } from './support/import-circles.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = [
  ...routeList.map(([, route]) => route.entry),
  ...Object.values(eventSources).map(({ entry }) => entry),
];

/** Errors that one rule decides alike on all routes, and where that rule is tested for all. */
const testedForAll = {
  method_not_allowed: 'test/api/methods.test.ts',
  malformed_json: 'test/api/every-route.test.ts',
  malformed_yaml: 'test/api/registry/yaml-body.test.ts',
  unsupported_media_type: 'test/api/every-route.test.ts',
  validation_failed: 'test/api/every-route.test.ts',
  unauthenticated: 'test/api/every-route.test.ts',
  cross_site_request: 'test/api/every-route.test.ts',
  insufficient_scope: 'test/api/every-route.test.ts',
  permission_denied: 'test/api/every-route.test.ts',
  payload_too_large: 'test/api/every-route.test.ts',
  rate_limited: 'test/api/every-route-outage.test.ts',
  dependency_unavailable: 'test/api/every-route-outage.test.ts',
  precondition_failed: 'test/api/registry/conditional.test.ts',
  idempotency_in_flight: 'test/api/registry/idempotency.test.ts',
  idempotency_key_reused: 'test/api/registry/idempotency.test.ts',
  payload_unreadable: 'test/api/registry/failures.test.ts',
  too_many_runs: 'test/api/run/concurrency-permits.test.ts',
  budget_exhausted: 'test/api/budget/starts.test.ts',
} as const satisfies Partial<Record<ErrorCode, string>>;

const ownErrors = ({ errors }: Route): ErrorCode[] =>
  [...new Set(errors)].filter((code) => !(code in testedForAll));

function filesIn(folder: string, extension: string): string[] {
  return readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter(
      (path) =>
        path.endsWith(extension) && !path.includes('/node_modules/') && !path.startsWith('test/bench/peers'),
    )
    .sort();
}

describe('the code base', () => {
  const files = ['lib', 'functions', 'bin', 'test']
    .flatMap((folder) => filesIn(folder, '.ts'))
    .map((path): SourceFile => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));

  test('follows the rules for layers, imports, sizes and names', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(breaches(files)).toEqual([]);
  });

  test('has no circle of imports in lib, by value or by type', () => {
    expect(importCircles(files.filter(({ path }) => path.startsWith('lib/')))).toEqual([]);
  });

  test('has no two folders of lib that import each other, not even a folder and its own subfolder', () => {
    expect(mutualFolders(files.filter(({ path }) => path.startsWith('lib/')))).toEqual([]);
  });

  test('names only records of decisions that exist', () => {
    const sources = ['lib', 'functions', 'bin', 'test'].flatMap((folder) =>
      ['.ts', '.tsx', '.mjs'].flatMap((extension) => filesIn(folder, extension)),
    );
    const named = sources.flatMap((path) =>
      [...readFileSync(`${root}/${path}`, 'utf8').matchAll(/\bdocs\/decisions\/[\w-]+\.md\b/g)].map(
        ([record]) => ({ path, record }),
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ record }) => !existsSync(`${root}/${record}`))).toEqual([]);
  });

  test('lists in vitest.config.ts all tests that change the environment of functions and need separate modules', () => {
    const changing = files.filter(
      ({ path, text }) => path.startsWith('test/api/') && /process\.env\S* = |startOwnTables/.test(text),
    );
    expect(changing.length).toBeGreaterThan(10);
    const paths = new Set(files.map(({ path }) => path));
    expect(isolated.filter((path) => !paths.has(path))).toEqual([]);
    expect(changing.map(({ path }) => path).filter((path) => !isolated.includes(path))).toEqual([]);
  });

  test('lists in vitest.config.ts all tests that load modules again, since elsewhere nothing is loaded twice', () => {
    const loading = files.filter(({ text }) => /\bvi\.(resetModules|(do)?[mM]ock)\(/.test(text));
    expect(loading.map(({ path }) => path)).toEqual([...reloading].sort());
  });
});

describe('every route and event source', () => {
  test('has exactly one function file, and every function file has a route or event source', () => {
    expect(filesIn('functions', '.ts')).toEqual(entries.map((entry) => `functions/${entry}.ts`).sort());
  });

  test('has its own event (`npm run events` writes it), and every event has a function', () => {
    const events = filesIn('events', '.json').filter((path) => !path.startsWith('events/flows/'));
    expect(events).toEqual(entries.map((entry) => `events/${entry}.json`).sort());
  });

  test('has its own test', () => {
    const tests = filesIn('test/api', '.test.ts');
    expect(
      entries.map((entry) => `test/api/${entry}.test.ts`).filter((path) => !tests.includes(path)),
    ).toEqual([]);
  });

  test('has a test of each error in its row: a file that calls the operation and names the code', () => {
    const texts = filesIn('test', '.test.ts').map(
      (path) => [path, readFileSync(`${root}/${path}`, 'utf8')] as const,
    );
    const isTested = (id: string, { entry }: Route, code: ErrorCode) =>
      texts.some(
        ([path, text]) =>
          text.includes(`'${code}'`) &&
          (path === `test/api/${entry}.test.ts` || new RegExp(`\\b${id}\\b`).test(text)),
      );
    const untested = routeList.flatMap(([id, route]) =>
      ownErrors(route)
        .filter((code) => !isTested(id, route, code))
        .map((code) => `${id}: ${code}`),
    );
    expect(untested).toEqual([]);
    for (const [code, path] of Object.entries(testedForAll))
      expect(readFileSync(`${root}/${path}`, 'utf8'), `${path} tests ${code}`).toContain(code);
  });

  test('has a unique name', () => {
    expect(new Set(entries).size).toBe(entries.length);
    expect(new Set(routeList.map(([, route]) => `${route.method} ${route.path}`)).size).toBe(
      routeList.length,
    );
  });
});

describe('every node type', () => {
  const names = Object.keys(nodeTypes);

  test('has its own test', () => {
    const tests = ['nodes', 'agent'].flatMap((room) => filesIn(`test/unit/flow/${room}`, '.test.ts'));
    const isTested = (name: string) => tests.some((path) => path.endsWith(`/${name}.test.ts`));
    expect(names.filter((name) => !isTested(name))).toEqual([]);
  });

  test('has a page in docs/flows with an example', () => {
    const page = (name: string) => {
      const path = `${root}/docs/flows/${name}.md`;
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    expect(names.filter((name) => !page(name).includes(`"type": "${name}"`))).toEqual([]);
  });
});

describe('the checker finds', () => {
  const lines = (count: number) => '  call();\n'.repeat(count);
  const planted: readonly [what: string, path: string, text: string][] = [
    [
      'a lower layer that imports a higher one',
      'lib/access/a.ts',
      "// A.\nimport { x } from '#lib/registry/row.ts';",
    ],
    [
      'the same by a relative path',
      'lib/access/a.ts',
      "// A.\nimport type { x } from '../registry/row/row.ts';",
    ],
    [
      'the same by a dynamic import',
      'lib/access/a.ts',
      "// A.\nconst x = await import('#lib/registry/row.ts');",
    ],
    [
      'the same over several lines',
      'lib/access/a.ts',
      "// A.\nimport { \n  x, \n } from '#lib/registry/row.ts';",
    ],
    ['the same by a re-export', 'lib/access/a.ts', "// A.\nexport { x } from '#lib/registry/row.ts';"],
    [
      'the AWS SDK in a store',
      'lib/registry/row-items.ts',
      "// A.\nimport { x } from '@aws-sdk/lib-dynamodb';",
    ],
    [
      'a room of lib/flow that imports a later one',
      'lib/flow/engine/a.ts',
      "// A.\nimport type { x } from '../nodes/map.ts';",
    ],
    [
      'a room of lib/flow that imports one beside it',
      'lib/flow/check/a.ts',
      "// A.\nimport type { x } from '../testing/report.ts';",
    ],
    ['the AWS SDK in a rule', 'lib/registry/promote.ts', "// A.\nimport { x } from '@aws-sdk/client-kms';"],
    ['the CDK outside of lib/infra', 'bin/local.ts', "// A.\nimport { App } from 'aws-cdk-lib/core';"],
    ['lib/local in production code', 'lib/infra/synth.ts', "// A.\nimport { x } from '#lib/local/host.ts';"],
    [
      'the OpenAPI writer in a function',
      'functions/meta/openapi.ts',
      "import { x } from '#lib/routes/openapi.ts';",
    ],
    [
      'the whole route table in a function',
      'functions/meta/health.ts',
      "import { x } from '#lib/routes/routes.ts';",
    ],
    ['a function that imports another', 'functions/meta/health.ts', "import { x } from './openapi.ts';"],
    [
      'a file of the engine that reads files',
      'lib/flow/engine/run.ts',
      "// A.\nimport { readFileSync } from 'node:fs';",
    ],
    ['a clock in the engine', 'lib/flow/engine/run.ts', '// A.\nconst startedAt = Date.now();'],
    ['a stopwatch in the engine', 'lib/flow/engine/run.ts', '// A.\nconst startedAt = performance.now();'],
    ['randomness in the engine', 'lib/flow/engine/run.ts', '// A.\nconst id = crypto.randomUUID();'],
    ['a file of more than 400 lines', 'lib/a.ts', `// A.\n${'const a = 1;\n'.repeat(400)}`],
    ['a function file of more than 30 lines', 'functions/meta/health.ts', '\n'.repeat(31)],
    [
      'a function of more than 60 lines',
      'lib/a.ts',
      `// A.\nfunction f(a: { b: string }): { c: string } {\n${lines(59)}}`,
    ],
    [
      'a nested arrow function of more than 60 lines',
      'lib/a.ts',
      `// A.\nexport const f = () => {\n  return (x: string): string => {\n${lines(59)}  };\n};`,
    ],
    [
      'a long method',
      'lib/a.ts',
      `// A.\nconst o = {\n  async run(a: string): Promise<{ b: string }> {\n${lines(59)}  },\n};`,
    ],
    [
      'a long arrow function without braces',
      'lib/a.ts',
      `// A.\nconst f = (x: string) =>\n  g([\n${'    x,\n'.repeat(60)}  ]);`,
    ],
    [
      'a CDK constructor of more than 80 lines',
      'lib/infra/a.ts',
      `// A.\nclass A {\n  constructor(scope: string) {\n${lines(79)}  }\n}`,
    ],
    ['a vague name', 'lib/registry/helpers.ts', '// A.'],
    ['a folder with a vague name', 'lib/registry/common/row.ts', '// A.'],
    ['a name that is not kebab-case', 'lib/registry/promoteLive.ts', '// A.'],
    ['a file that does not say what lives there', 'lib/registry/row.ts', "import * as z from 'zod';"],
  ];

  test.each(planted)('%s', (_what, path, text) => {
    expect(breaches([{ path, text }])[0]).toContain(path);
  });

  const fine: readonly [what: string, path: string, text: string][] = [
    [
      'what a comment or a string says',
      'lib/a.ts',
      "// from '#lib/registry/row.ts'\nconst a = 'x'; /* import '@aws-sdk/x' */",
    ],
    [
      'a brace in a string, a pattern or a template',
      'lib/a.ts',
      `// A.\nconst f = () => {\n  return '{' + /[{/]/.source + \`{\${g('}')}\`;\n};\n${'const a = 1;\n'.repeat(100)}`,
    ],
    [
      'a division',
      'lib/a.ts',
      `// A.\nconst f = () => {\n  return a / 2 + b / 3;\n};\n${'const a = 1;\n'.repeat(100)}`,
    ],
    ['a function of 60 lines', 'lib/a.ts', `// A.\nfunction f() {\n${lines(58)}}`],
    [
      'a constructor of 80 lines',
      'lib/infra/a.ts',
      `// A.\nclass A {\n  constructor(scope: string) {\n${lines(78)}  }\n}`,
    ],
    [
      'a long table that is typed with a function',
      'lib/a.ts',
      `// A.\nconst rows: Record<string, (a: string) => void> = {\n${'  a: f,\n'.repeat(80)}};`,
    ],
    [
      'the table kit that uses the AWS SDK',
      'lib/dynamo/items.ts',
      "// A.\nimport { x } from '@aws-sdk/lib-dynamodb';",
    ],
    ['an import from an earlier layer', 'lib/trigger/a.ts', "// A.\nimport { x } from '#lib/run/result.ts';"],
  ];

  test.each(fine)('no breach in %s', (_what, path, text) => {
    expect(breaches([{ path, text }])).toEqual([]);
  });

  test('a circle of type imports, with each of its files', () => {
    const files = [
      { path: 'lib/a.ts', text: "import type { b } from './b.ts';" },
      { path: 'lib/b.ts', text: "import { c } from '#lib/c.ts';" },
      { path: 'lib/c.ts', text: "import type { a } from './a.ts';" },
      { path: 'lib/d.ts', text: "import { a } from './a.ts';" },
    ];
    expect(importCircles(files)).toEqual([['lib/a.ts', 'lib/b.ts', 'lib/c.ts']]);
  });

  test('two folders that import each other by different files', () => {
    const files = [
      { path: 'lib/a/x.ts', text: "import '#lib/a/b/y.ts';" },
      { path: 'lib/a/b/z.ts', text: "import type { w } from '../w.ts';" },
      { path: 'lib/c/v.ts', text: "import '#lib/a/w.ts';" },
    ];
    expect(mutualFolders(files)).toEqual(['lib/a <-> lib/a/b']);
  });

  test('a folder without a layer', () => {
    expect(() => breaches([{ path: 'lib/novel/a.ts', text: "// A.\nimport '#lib/ids.ts';" }])).toThrow(
      'lib/novel',
    );
  });
});
