// Answers to the input requests of a flow: first those given on the command line, in order, then those that
// the user types.
import { createInterface } from 'node:readline/promises';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import { plainText } from './plain-text.ts';

/** A refused answer of the command line is only asked for again in a terminal. */
export function createAsk(given: readonly string[], isInteractive: boolean) {
  const left = [...given];
  return async (request: InputRequest, fault: string | undefined): Promise<string | undefined> => {
    const answer = fault === undefined ? left.shift() : undefined;
    if (answer !== undefined || !isInteractive) return answer;
    return await prompt(request, fault);
  };
}

async function prompt(
  { prompt: question, choices, schema, detail }: InputRequest,
  fault: string | undefined,
) {
  const lines = [
    fault,
    question,
    detail === undefined ? undefined : JSON.stringify(detail, undefined, 2),
    choices && `One of: ${choices.join(', ')}`,
    schema && schema.type !== 'string' ? `JSON that matches the schema ${JSON.stringify(schema)}` : undefined,
  ];
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const text = lines.filter((line) => line !== undefined).join('\n');
    return await terminal.question(`${plainText(text)}\n? `);
  } finally {
    terminal.close();
  }
}
