// The price of the model layer is paid by the flows that ask a model, and by no other.
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/**
 * Packages in the chunk that loads at once when the file is imported; what is behind `import()` has chunks of
 * its own.
 */
async function packagesAtOnce(file: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [file],
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: 'out',
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  const packages = new Set<string>();
  const visit = (path: string) => {
    const output = metafile.outputs[path];
    for (const input of Object.keys(output?.inputs ?? {})) {
      const name = /node_modules\/((@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
      if (name) packages.add(name);
    }
    for (const { kind, path: next } of output?.imports ?? []) if (kind === 'import-statement') visit(next);
  };
  const [entry] = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === file) ?? [];
  visit(entry ?? '');
  return [...packages].sort();
}

test('the http port loads no package', async () => {
  expect(await packagesAtOnce('lib/connection/http-port.ts')).toEqual([]);
});

test('the model port loads zod at once, and the AI SDK with the first call', async () => {
  expect(await packagesAtOnce('lib/model/port.ts')).toEqual(['zod']);
  expect(await packagesAtOnce('lib/model/ai-sdk.ts')).toContain('ai');
});
