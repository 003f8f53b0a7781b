// The worker of the editor: the checks and the tests of flows, which are those of the service. It has a build of its own.
import { limits } from '#lib/flow/format/limits.ts';
import type { TestReport } from '#lib/flow/testing/report.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { type CheckedText, checkText, locateMistakes } from './check-text.ts';
import type { Problem } from './flow-text.ts';
import { loadPatterns, withPatterns } from './late-patterns.ts';

/** What the page asks, and what the worker answers. */
export interface WorkerCalls {
  readonly check: { readonly asked: { readonly text: string }; readonly answered: CheckedText };
  readonly test: {
    readonly asked: { readonly text: string; readonly env: JsonObject };
    readonly answered: TestReport | undefined;
  };
  readonly locate: {
    readonly asked: { readonly text: string; readonly mistakes: Parameters<typeof locateMistakes>[1] };
    readonly answered: readonly Problem[];
  };
}

type Asked = {
  [Call in keyof WorkerCalls]: { readonly call: Call; readonly id: number } & WorkerCalls[Call]['asked'];
}[keyof WorkerCalls];

addEventListener('message', async ({ data: asked }: MessageEvent<Asked>) => {
  try {
    postMessage({ id: asked.id, answer: await answer(asked) });
  } catch (error) {
    postMessage({ id: asked.id, error: error instanceof Error ? error.message : String(error) });
  }
});

async function answer(asked: Asked): Promise<WorkerCalls[keyof WorkerCalls]['answered']> {
  switch (asked.call) {
    case 'check': {
      const { flow, problems, unlisted } = await withPatterns(() => checkText(asked.text));
      return { flow, problems, unlisted };
    }
    case 'locate':
      return await locateMistakes(asked.text, asked.mistakes);
    case 'test':
      return await runTests(asked.text, asked.env);
  }
}

/** Undefined for a flow with mistakes. */
async function runTests(text: string, env: JsonObject): Promise<TestReport | undefined> {
  // An expression can make a regular expression of a text while it runs.
  const [{ testFlow }] = await Promise.all([import('#lib/flow/testing/test-flow.ts'), loadPatterns()]);
  const { checked } = await checkText(text);
  if (!checked) return undefined;
  return await testFlow(checked, { clock, env, timeoutMs: limits.testsMs });
}

const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  /** Browsers do not tell the processor time of a thread. */
  cpuMs: () => performance.now(),
  sleep: (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          reject(signal.reason);
        },
        { once: true },
      );
    }),
};
