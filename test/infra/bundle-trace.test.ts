// A stack trace of a deployed function leads to the sources.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { dist, root } from '#lib/infra/bundle-folder.ts';
import { type BundleMaps, mapBundle, translateTrace } from '#lib/infra/bundle-trace.ts';

const entry = 'meta/health';

describe('the maps of a bundle', () => {
  let maps: BundleMaps;
  beforeAll(async () => {
    await mkdir(dist, { recursive: true });
    const scratch = await mkdtemp(join(dist, '.trace-test-'));
    try {
      maps = await mapBundle(entry, [entry], scratch);
    } finally {
      await rm(scratch, { recursive: true });
    }
  });

  it('name files of the project, and what packages and plugins bring', () => {
    const sources = [...maps.values()].flatMap(({ payload }) => payload.sources);
    expect(sources).toContain(`functions/${entry}.ts`);
    const own = sources.filter((source) => /^(functions|lib)\//.test(source));
    expect(own.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(sources.filter((source) => source.startsWith('..'))).toEqual([]);
  });

  it('translate the positions of a stack trace, and leave the rest as it is', () => {
    const text = 'Error: broken\n    at handler (file:///var/task/absent.mjs:1:2)';
    expect(translateTrace(text, maps)).toBe(text);
    const own = `functions/${entry}.ts`;
    const [name] = [...maps].find(([, { payload }]) => payload.sources.includes(own)) ?? [];
    const lines = Array.from({ length: 80 }, (_, n) => n + 1);
    const columns = Array.from({ length: 1_000 }, (_, n) => n * 40 + 1);
    const positions = lines.flatMap((line) => columns.map((column) => `/var/task/${name}:${line}:${column}`));
    const found = translateTrace(positions.join('\n'), maps).split('\n');
    const files = new Set(found.flatMap((position) => /^(.+):\d+:\d+$/.exec(position)?.[1] ?? []));
    expect(files).toContain(own);
    expect([...files].filter((file) => file.startsWith('lib/http/'))).not.toEqual([]);
  });
});
