// Answers to what a flow asks: first those of the command line in order, then what a person types.
import { createInterface } from 'node:readline/promises';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import { plainText } from './plain-text.ts';

/** An answer of the command line that does not fit is not asked for again: nobody may be there. */
export function createAsk(given: readonly string[], isPersonThere: boolean) {
  const left = [...given];
  return async (request: InputRequest, fault: string | undefined): Promise<string | undefined> => {
    const answer = fault === undefined ? left.shift() : undefined;
    if (answer !== undefined || !isPersonThere) return answer;
    return await typed(request, fault);
  };
}

async function typed({ prompt, choices, schema, detail }: InputRequest, fault: string | undefined) {
  const lines = [
    fault,
    prompt,
    detail === undefined ? undefined : JSON.stringify(detail, undefined, 2),
    choices && `One of: ${choices.join(', ')}`,
    schema && schema.type !== 'string' ? `As JSON that fits ${JSON.stringify(schema)}` : undefined,
  ];
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = lines.filter((line) => line !== undefined).join('\n');
    return await terminal.question(`${plainText(question)}\n? `);
  } finally {
    terminal.close();
  }
}
