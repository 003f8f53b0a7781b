// The flow and the card with which a new agent begins, in the terminal and in the console.

export const starterFlow = (name: string) => ({
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

export const starterCard = (name: string) => ({
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
});
