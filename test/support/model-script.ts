// What a test has the scriptedStep model write, in which of its calls.

import type { Json } from '#lib/json/json.ts';
import { unique } from './caller.ts';
import type { AnswerEnd, ScriptedStep } from './scripted-model.ts';
import { testedService } from './tested-service.ts';

export interface ModelScript {
  /** For the prompt: the model knows by it whose text it writes. */
  readonly prompt: string;
  /**
   * Writes a piece; the call is the n-th of this script. Resolves when it is written, and so not before the
   * model is asked.
   */
  readonly say: (piece: string, n?: number) => Promise<void>;
  readonly end: (n?: number) => Promise<void>;
  /** Ends the call with a tool that is called. Gives what the model was asked, as text. */
  readonly callTool: (tool: string, args: Json, n?: number) => Promise<string>;
  /** Ends the call with an answer. Gives what the model was asked, as text. */
  readonly answer: (text: string, n?: number, end?: AnswerEnd) => Promise<string>;
  /** The line goes dead in the middle of the answer. */
  readonly breakOff: (n?: number) => Promise<void>;
}

/** For `models` of a flow. */
export const scriptedModels = { default: { model: 'scripted' } };

export function newModelScript(): ModelScript {
  const { scriptedModelUrl } = testedService();
  if (!scriptedModelUrl) throw new Error('This test needs the local host: run it without BASE_URL.');
  const name = unique('script');
  const send = async (what: ScriptedStep, n = 1) => {
    const response = await fetch(`${scriptedModelUrl}/${name}/${n}`, {
      method: 'POST',
      body: JSON.stringify(what),
    });
    const asked = await response.text();
    if (!response.ok) throw new Error(asked);
    return asked;
  };
  const finish = async (what: ScriptedStep, n = 1, end: AnswerEnd = {}) => {
    const asked = await send(what, n);
    await send({ end: 'whole', ...end }, n);
    return asked;
  };
  return {
    prompt: name,
    say: async (say, n) => void (await send({ say }, n)),
    end: async (n) => void (await send({ end: 'whole' }, n)),
    breakOff: async (n) => void (await send({ end: 'broken' }, n)),
    callTool: (call, args, n) =>
      finish({ call, arguments: typeof args === 'string' ? args : JSON.stringify(args) }, n),
    answer: (say, n, end) => finish({ say }, n, end),
  };
}
