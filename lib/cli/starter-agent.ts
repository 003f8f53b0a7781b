// The files of a new agent.
import { stringify } from 'yaml';

interface StarterFile {
  readonly name: string;
  readonly text: string;
}

export function starterFiles(folder: string, format: 'yaml' | 'json'): readonly StarterFile[] {
  const name = toTitle(folder);
  return [
    { name: `agent.${format}`, text: write(agent(toFlowid(folder), name, format), format) },
    { name: `flow.${format}`, text: write(flow(name), format) },
  ];
}

const write = (value: object, format: 'yaml' | 'json'): string =>
  format === 'yaml' ? stringify(value, { lineWidth: 110 }) : `${JSON.stringify(value, undefined, 2)}\n`;

/** Letters, digits, `.`, `_` and `-`, first a letter or digit. */
function toFlowid(folder: string): string {
  const id = folder
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 64);
  return id || 'my-agent';
}

function toTitle(folder: string): string {
  const words = toFlowid(folder)
    .replaceAll(/[._-]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const agent = (flowid: string, name: string, format: string) => ({
  flowid,
  flow: `flow.${format}`,
  visibility: 'organization',
  agent_card: {
    name,
    description: 'Answers questions in one sentence.',
    skills: [
      {
        id: 'answer',
        name: 'Answer',
        description: 'Answers a question in one sentence.',
        tags: ['questions'],
        examples: ['Why is the sky blue?'],
        inputModes: ['text/plain'],
        outputModes: ['text/plain', 'application/json'],
      },
    ],
  },
});

const flow = (name: string) => ({
  version: 1,
  name,
  start: 'answer',
  nodes: {
    answer: {
      type: 'llm',
      system: 'Answer in one sentence.',
      prompt: '{{ input.message }}',
      retry: { max_attempts: 2, delay_ms: 500, on: ['model.*', 'timeout'] },
      next: 'done',
    },
    done: { type: 'end', output: { answer: '{{ nodes.answer }}' } },
  },
  tests: [
    {
      name: 'the answer of the model is the answer of the agent',
      input: { message: 'Why is the sky blue?' },
      mocks: { answer: 'Air scatters blue light most.' },
      expect: "{{ status = 'completed' and response.answer = 'Air scatters blue light most.' }}",
    },
    {
      name: 'a model that is busy is asked again',
      input: { message: 'Hello' },
      mocks: { answer: { in_order: [{ error: { code: 'model.rate_limited' } }, 'Hi.'] } },
      expect: "{{ response.answer = 'Hi.' }}",
    },
  ],
});
