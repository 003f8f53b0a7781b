// The import time of a cold start: the bundles of the trigger, the connector and the authorization server without code
// that is loaded later, compared with a bundle that contains only a DynamoDB client.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import * as z from 'zod';
import { bundleFolder, root } from '#lib/infra/bundle-folder.ts';
import { forLambda } from '#lib/infra/bundle-options.ts';
import { smallZod } from '#lib/infra/bundle-zod.ts';
import { printedBy } from '#test/support/printed-by.ts';
import { type Figure, type Row, toFigure } from './row.ts';

const repetitions = 10;
/** The trigger may take 1.67 times the CPU time of the DynamoDB client that it contains; the goal is 1.6 times. */
const triggerRatioMin = 0.6;
/** The engine contains no client, and loads in half the time of one. */
const engineRatioMin = 2;
const script = new URL('import-once.mjs', import.meta.url);
const printed = z.object({ wallMs: z.number(), cpuMs: z.number() });
type Printed = z.infer<typeof printed>;

/** As the stack sets them on its functions, and the region as Lambda does. */
const environment = {
  AWS_REGION: 'us-east-1',
  POWERTOOLS_SERVICE_NAME: 'agent-flow',
  LOG_LEVEL: 'INFO',
};

/** Expects the bundles in dist/. */
export async function importRows(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-import-'));
  try {
    const engine = await engineBundle(folder);
    const [ours, peer, limit, alone, connector, authorizationServer] = await inTurns([
      findBundle('trigger/run'),
      await clientBundle(folder),
      await emptyBundle(folder),
      engine.file,
      findBundle('connector/serve'),
      findBundle('oauth/serve'),
    ]);
    if (!ours || !peer || !limit || !alone || !connector || !authorizationServer)
      throw new Error('Expected a list of times for each bundle.');
    return [
      { what: 'import of the trigger', unit: 'ms', ...sides(ours, peer, limit, 'wallMs') },
      {
        what: 'import of the trigger, CPU',
        unit: 'ms',
        ...sides(ours, peer, limit, 'cpuMs'),
        ratioMin: triggerRatioMin,
      },
      { what: 'import of the connector', unit: 'ms', ...sides(connector, peer, limit, 'wallMs') },
      {
        what: 'import of the authorization server',
        unit: 'ms',
        ...sides(authorizationServer, peer, limit, 'wallMs'),
      },
      {
        what: 'import of the engine',
        unit: 'ms',
        ...sides(alone, peer, limit, 'wallMs'),
        ratioMin: engineRatioMin,
      },
      { what: 'what that loads', unit: 'KiB', ours: toFigure([engine.kibibytes]), budget: 300 },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const findBundle = (entry: string): string => join(bundleFolder(entry), 'index.mjs');

async function inTurns(bundles: readonly string[]): Promise<Printed[][]> {
  const times = bundles.map((): Printed[] => []);
  for (let n = 0; n < repetitions; n++) {
    for (const [index, bundle] of bundles.entries()) {
      times[index]?.push(printed.parse(await printedBy(script, { args: [bundle], environment })));
    }
  }
  return times;
}

const sides = (
  ours: readonly Printed[],
  peer: readonly Printed[],
  limit: readonly Printed[],
  measure: keyof Printed,
): Record<'ours' | 'peer' | 'limit', Figure> => ({
  ours: toFigure(ours.map((time) => time[measure])),
  peer: toFigure(peer.map((time) => time[measure])),
  limit: toFigure(limit.map((time) => time[measure])),
});

/** Built as our functions are, so what is imported only when it is needed stays apart here too. */
const asFunctionsAre = {
  ...forLambda,
  splitting: true,
  mainFields: ['module', 'main'],
} as const satisfies BuildOptions;

async function clientBundle(folder: string): Promise<string> {
  const contents = `
    import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
    const client = new DynamoDBClient({});
    export const get = (input) => client.send(new GetItemCommand(input));`;
  await build({
    ...asFunctionsAre,
    stdin: { contents, resolveDir: root },
    outdir: folder,
    entryNames: 'client',
  });
  return join(folder, 'client.mjs');
}

/** The engine alone, as far as a run loads it that evaluates nothing but paths. */
async function engineBundle(folder: string): Promise<{ readonly file: string; readonly kibibytes: number }> {
  const { metafile } = await build({
    ...asFunctionsAre,
    stdin: { contents: "export { runFlow } from '#lib/flow/engine/run-flow.ts';", resolveDir: root },
    outdir: folder,
    entryNames: 'engine',
    plugins: [smallZod],
  });
  const outputs = new Map(Object.entries(metafile.outputs));
  const start = [...outputs.keys()].find((name) => name.endsWith('/engine.mjs')) ?? '';
  const loaded = new Set([start]);
  for (const name of loaded)
    for (const { path, kind } of outputs.get(name)?.imports ?? [])
      if (kind === 'import-statement' && outputs.has(path)) loaded.add(path);
  const bytes = [...loaded].reduce((sum, name) => sum + (outputs.get(name)?.bytes ?? 0), 0);
  return { file: join(folder, 'engine.mjs'), kibibytes: bytes / 1024 };
}

async function emptyBundle(folder: string): Promise<string> {
  const file = join(folder, 'empty.mjs');
  await writeFile(file, 'export {};\n');
  return file;
}
