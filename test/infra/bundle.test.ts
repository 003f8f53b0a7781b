import { describe, expect, it } from 'vitest';
import { entries } from '#lib/infra/bundle.ts';
import {
  budgetBreaches,
  consoleBreaches,
  eagerBytesMax,
  eagerWithEngineBytesMax,
  lazyBytesMax,
  threadBytesMax,
} from '#lib/infra/bundle-budget.ts';

const fine = {
  entry: 'registry/get',
  runsFlows: false,
  eager: eagerBytesMax,
  lazy: lazyBytesMax,
  inputs: ['lib/errors.ts'],
};

describe('the budget of the console', () => {
  const sizes = {
    script: 1,
    style: 1,
    requests: 1,
    layoutWorker: 1,
    editor: 1,
    flowWorker: 1,
    pages: [{ page: 'lib/console/runs/run-page.tsx', bytes: 40 * 1024 }],
  };

  it('is met by pages just below it', () => {
    expect(consoleBreaches(sizes)).toEqual([]);
  });

  it('names each page that loads too much, the editor and the check of flows', () => {
    const pages = [...sizes.pages, { page: 'lib/console/agents/agent-page.tsx', bytes: 41 * 1024 }];
    expect(consoleBreaches({ ...sizes, pages, editor: 151 * 1024, flowWorker: 146 * 1024 })).toEqual([
      'the console: loads 151 KiB for the editor; at most 150 are allowed.',
      'the console: loads 146 KiB for the check of flows; at most 145 are allowed.',
      'the console: loads 41 KiB for lib/console/agents/agent-page.tsx; at most 40 are allowed.',
    ]);
  });
});

describe('the budget of a bundle', () => {
  it('is met by a bundle just below it', () => {
    expect(budgetBreaches([fine])).toEqual([]);
  });

  it('is larger for a function that includes the flow engine', () => {
    const runner = { ...fine, runsFlows: true, eager: eagerWithEngineBytesMax };
    expect(budgetBreaches([runner])).toEqual([]);
    expect(budgetBreaches([{ ...runner, eager: eagerWithEngineBytesMax + 1024 }])).toHaveLength(1);
  });

  it('allows the languages of zod in the copy of the model client', () => {
    const inputs = ['zod-of-lazy-clients:/x/node_modules/zod/v4/locales/fr.js'];
    expect(budgetBreaches([{ ...fine, inputs }])).toEqual([]);
  });

  it.each([
    [
      'a heavy cold start',
      { eager: eagerBytesMax + 1024 },
      'registry/get: loads 521 KiB at a cold start; at most 520 are allowed.',
    ],
    [
      'a heavy model client',
      { lazy: lazyBytesMax + 1024 },
      'registry/get: loads 1901 KiB later on; at most 1900 are allowed.',
    ],
    [
      'a heavy thread',
      { thread: threadBytesMax + 1024 },
      'registry/get: loads 301 KiB in a thread; at most 300 are allowed.',
    ],
    [
      'the CDK',
      { inputs: ['node_modules/aws-cdk-lib/core/index.js'] },
      /aws-cdk-lib.*the CDK is for deploying/,
    ],
    [
      'the CDK, when installed elsewhere',
      { inputs: ['../node_modules/constructs/lib/index.js'] },
      /the CDK is for deploying/,
    ],
    [
      'the local host',
      { inputs: ['lib/local/host.ts'] },
      /lib\/local\/host\.ts, but functions do not depend on their host/,
    ],
    ['the infrastructure', { inputs: ['lib/infra/app.ts'] }, /lib\/infra\/app\.ts/],
    ['a test', { inputs: ['test/support/x.ts'] }, /test\/support\/x\.ts/],
    ['a language of zod', { inputs: ['node_modules/zod/v4/locales/fr.js'] }, /fr\.js.*import \* as z/],
  ])('is exceeded by %s, with the function and the reason', (_, change, breach) => {
    expect(budgetBreaches([{ ...fine, ...change }])).toEqual([
      typeof breach === 'string' ? breach : expect.stringMatching(breach),
    ]);
  });
});

describe('the build', () => {
  it('writes each bundle once', () => {
    expect(new Set(entries).size).toBe(entries.length);
  });
});
