// How long a cold start imports: the trigger's bundle without what a flow loads later, beside a bundle of nothing but a DynamoDB client.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { bundleFolder, root } from '#lib/infra/bundle-folder.ts';
import { printedBy } from './child.ts';
import { type Figure, figureOf, type Row } from './row.ts';

const repetitions = 10;
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
    const [ours, peer, limit] = await inTurns([
      join(bundleFolder('trigger/run'), 'index.mjs'),
      await clientBundle(folder),
      await emptyBundle(folder),
    ]);
    if (!ours || !peer || !limit) throw new Error('Expected a list of times for each bundle.');
    return [
      { what: 'import of the trigger', unit: 'ms', ...sides(ours, peer, limit, 'wallMs'), budget: 60 },
      { what: 'import of the trigger, CPU', unit: 'ms', ...sides(ours, peer, limit, 'cpuMs') },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

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
  ours: figureOf(ours.map((time) => time[measure])),
  peer: figureOf(peer.map((time) => time[measure])),
  limit: figureOf(limit.map((time) => time[measure])),
});

/** Built as our functions are, so what the client imports only when it needs it stays apart here too. */
async function clientBundle(folder: string): Promise<string> {
  await build({
    stdin: {
      contents: `
        import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
        const client = new DynamoDBClient({});
        export const get = (input) => client.send(new GetItemCommand(input));`,
      resolveDir: root,
    },
    outdir: folder,
    entryNames: 'client',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return join(folder, 'client.mjs');
}

async function emptyBundle(folder: string): Promise<string> {
  const file = join(folder, 'empty.mjs');
  await writeFile(file, 'export {};\n');
  return file;
}
