// What all builds of functions have in common.
import type { BuildOptions } from 'esbuild';
import { root } from './bundle-folder.ts';

/** Without source maps, which are larger than the code: `npm run trace` makes them when they are needed. */
export const forLambda = {
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  metafile: true,
  logLevel: 'silent',
  // What is not printed is made and passed on all the same: thousands of these warnings, and nobody reads them
  // (docs/decisions/0094-fewer-messages-of-the-bundler.md).
  logOverride: { 'ignored-bare-import': 'silent' },
} as const satisfies BuildOptions;

/** The positions only: who reads a stack trace has the sources. */
export const withPositions = { sourcemap: true, sourcesContent: false } as const satisfies BuildOptions;
