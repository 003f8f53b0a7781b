// The agent of the official SDK as a subject, with our check of the credential and the same store in memory.
import { createServer, type RequestListener } from 'node:http';
import * as z from 'zod';
import { authenticate, type HeaderValues } from '#lib/access/credential.ts';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { createMemoryStore, type MemoryStore } from './memory-tables.ts';

interface AgentParts {
  readonly authenticate: (headers: HeaderValues) => Promise<unknown>;
  readonly answer: (text: string) => Promise<string>;
  readonly tasks: MemoryStore;
}
const agent = z.object({
  createAgent: z.custom<(parts: AgentParts) => RequestListener>((value) => typeof value === 'function'),
});
const { createAgent } = agent.parse(await import(new URL('peers/a2a-agent.mjs', import.meta.url).href));

const tasks = createMemoryStore();
const app = createAgent({
  authenticate: (headers) => authenticate(['apiKey', 'bearer'], headers),
  answer: async (text) => `You said: ${text}`,
  tasks,
});
answer({ cpu: cpuMicros, useMemory: () => true, reset: tasks.reset });
sayReady({ url: `${await listen(createServer(app), 0)}/a2a` });
