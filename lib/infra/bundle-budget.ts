// What a bundle may weigh and what it must never contain. Cold starts pay for every byte.
import type { Bundle } from './bundle.ts';

const kibibyte = 1024;
/** All that a cold start loads. What is loaded later has a budget of its own, below, and is not part of this one. */
export const eagerBytesMax = 600 * kibibyte;
/** The same, for a function that brings the flow engine along. */
export const eagerWithEngineBytesMax = 672 * kibibyte;
/** What is loaded by `import()` when it is first needed: the clients of models (two thirds), of MCP and of A2A, each by itself. */
export const lazyBytesMax = 1700 * kibibyte;

/** What the thread that evaluates loads, if ever: the engine's expressions with their language and its regular expressions. */
export const threadBytesMax = 300 * kibibyte;

/** Source files that have no business in a function, each with the reason. */
const forbiddenInputs: readonly (readonly [RegExp, string])[] = [
  [/node_modules\/(aws-cdk-lib|constructs)\//, 'the CDK is for deploying'],
  [/^lib\/(local|infra)\//, 'functions do not know where they run'],
  [/^test\//, 'tests stay out of production'],
  [
    /\/zod\/v\d\/locales\/(?!en\.|index\.)/,
    "write `import * as z from 'zod'`: the named import brings every language along",
  ],
];

/** Every breach as a sentence; none means that the bundles are fine. */
export function budgetBreaches(bundles: readonly Bundle[]): string[] {
  return bundles.flatMap((bundle) => [
    ...tooHeavy(
      bundle.entry,
      'at a cold start',
      bundle.eager,
      bundle.runsFlows ? eagerWithEngineBytesMax : eagerBytesMax,
    ),
    ...tooHeavy(bundle.entry, 'later on', bundle.lazy, lazyBytesMax),
    ...tooHeavy(bundle.entry, 'in a thread', bundle.thread ?? 0, threadBytesMax),
    ...forbidden(bundle),
  ]);
}

function tooHeavy(entry: string, when: string, bytes: number, max: number): string[] {
  if (bytes <= max) return [];
  return [`${entry}: loads ${kib(bytes)} KiB ${when}; at most ${kib(max)} are allowed.`];
}

function forbidden({ entry, inputs }: Bundle): string[] {
  return forbiddenInputs.flatMap(([pattern, reason]) => {
    const found = inputs.find((input) => pattern.test(input));
    return found === undefined ? [] : [`${entry}: contains ${found}, but ${reason}.`];
  });
}

export function kib(bytes: number): string {
  return (bytes / kibibyte).toFixed(0);
}
