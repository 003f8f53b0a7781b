// The size limits of bundles and the files that they must not contain. Every byte makes a cold start longer.
import type { Bundle } from './bundle.ts';
import type { ConsoleSizes } from './bundle-console.ts';

const kibibyte = 1024;
/** The code that a cold start loads. Code that is loaded later has its own budget, below. */
export const eagerBytesMax = 520 * kibibyte;
/** The same, for a function that contains the flow engine. */
export const eagerWithEngineBytesMax = 620 * kibibyte;
/** The authorization server, which contains oidc-provider. */
export const authorizationServerEntry = 'oauth/serve';
export const eagerAuthorizationServerBytesMax = 810 * kibibyte;
/**
 * Loaded by `import()` on first use: the clients of models (two thirds), of MCP and of A2A, each separately. The
 * model client includes zod's messages in all languages (256 KiB): without them its first use would take 5 ms
 * less CPU time, which is not worth a rewrite of zod (docs/decisions/0031-bundle-rewrites.md).
 */
export const lazyBytesMax = 1900 * kibibyte;

/** Loaded by the compute thread, if it is started: the expression language and its regular expressions. */
export const threadBytesMax = 300 * kibibyte;

/** What the first page of the console loads, the first picture of a flow, and the editor, compressed by gzip. */
const consoleMax = {
  script: 220 * kibibyte,
  style: 15 * kibibyte,
  requests: 8,
  layoutWorker: 480 * kibibyte,
  /** The page and the field for the text, which is CodeMirror for four fifths. */
  editor: 150 * kibibyte,
  /** Half of it is the expression language, the schema library, and what both need. */
  flowWorker: 145 * kibibyte,
  /** Each other page, besides what the first one has loaded, and each part of the editor that comes on first use. */
  page: 40 * kibibyte,
} as const;

/** Source files that a function must not contain, with the reasons. Only the model client may load zod's languages. */
const forbiddenInputs: readonly (readonly [RegExp, string])[] = [
  [/node_modules\/(aws-cdk-lib|constructs)\//, 'the CDK is for deploying'],
  [/^lib\/(local|infra)\//, 'functions do not depend on their host'],
  [/^test\//, 'tests are not deployed'],
  [
    /^(?!zod-of-lazy-clients:).*\/zod\/v\d\/locales\/(?!en\.|index\.)/,
    "write `import * as z from 'zod'`: the named import includes every language",
  ],
];

/** A sentence for each breach; none if the bundles are within their budgets. */
export function budgetBreaches(bundles: readonly Bundle[]): string[] {
  return bundles.flatMap((bundle) => [
    ...tooHeavy(bundle.entry, 'at a cold start', bundle.eager, eagerBudget(bundle)),
    ...tooHeavy(bundle.entry, 'later on', bundle.lazy, lazyBytesMax),
    ...tooHeavy(bundle.entry, 'in a thread', bundle.thread ?? 0, threadBytesMax),
    ...forbidden(bundle),
  ]);
}

/** The same for the console. */
export function consoleBreaches(sizes: ConsoleSizes): string[] {
  const { script, style, requests, layoutWorker, editor, flowWorker, pages } = sizes;
  return [
    ...tooHeavy('the console', 'as script', script, consoleMax.script),
    ...tooHeavy('the console', 'as style', style, consoleMax.style),
    ...tooHeavy('the console', 'for the first picture', layoutWorker, consoleMax.layoutWorker),
    ...tooHeavy('the console', 'for the editor', editor, consoleMax.editor),
    ...tooHeavy('the console', 'for the check of flows', flowWorker, consoleMax.flowWorker),
    ...pages.flatMap(({ page, bytes }) => tooHeavy('the console', `for ${page}`, bytes, consoleMax.page)),
    ...(requests > consoleMax.requests
      ? [
          `the console: its first page sends ${requests} requests; at most ${consoleMax.requests} are allowed.`,
        ]
      : []),
  ];
}

function eagerBudget({ entry, runsFlows }: Bundle): number {
  if (entry === authorizationServerEntry) return eagerAuthorizationServerBytesMax;
  return runsFlows ? eagerWithEngineBytesMax : eagerBytesMax;
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
