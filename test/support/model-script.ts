// What a test has the scriptedStep model write, in which of its calls.
import { inject } from 'vitest';
import { unique } from './caller.ts';
import type { ScriptedStep } from './scripted-model.ts';

export interface ModelScript {
  /** For the prompt: the model knows by it whose text it writes. */
  readonly prompt: string;
  /**
   * Writes a piece; the call is the n-th of this script. Resolves when it is written, and so not before the
   * model is asked.
   */
  readonly say: (piece: string, n?: number) => Promise<void>;
  readonly end: (n?: number) => Promise<void>;
  /** The line goes dead in the middle of the answer. */
  readonly breakOff: (n?: number) => Promise<void>;
}

/** For `models` of a flow. */
export const scriptedModels = { default: { model: 'scripted' } };

export function newModelScript(): ModelScript {
  const { scriptedModelUrl } = inject('service');
  if (!scriptedModelUrl) throw new Error('This test needs the local host: run it without BASE_URL.');
  const name = unique('script');
  const send = async (what: ScriptedStep, n = 1) => {
    const response = await fetch(`${scriptedModelUrl}/${name}/${n}`, {
      method: 'POST',
      body: JSON.stringify(what),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  return {
    prompt: name,
    say: (say, n) => send({ say }, n),
    end: (n) => send({ end: 'whole' }, n),
    breakOff: (n) => send({ end: 'broken' }, n),
  };
}
