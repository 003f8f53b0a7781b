// The agent of the official SDK as a subject, with our check of the credential, and tasks in tables in memory
// that it reaches through the same port: `send` of the document client.
import { createServer, type RequestListener } from 'node:http';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { authenticate, type HeaderValues } from '#lib/access/credential.ts';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { createMemoryTables, type MemoryTables } from './memory-tables.ts';

interface AgentParts {
  readonly authenticate: (headers: HeaderValues) => Promise<unknown>;
  readonly answer: (text: string) => Promise<string>;
  readonly tables: Pick<MemoryTables, 'send'>;
  readonly commands: object;
}
const agent = z.object({
  createAgent: z.custom<(parts: AgentParts) => RequestListener>((value) => typeof value === 'function'),
});
const { createAgent } = agent.parse(await import(new URL('peers/a2a-agent.mjs', import.meta.url).href));

const tables = createMemoryTables();
const app = createAgent({
  authenticate: (headers) => authenticate(['apiKey', 'bearer'], headers),
  answer: async (text) => `You said: ${text}`,
  tables,
  commands: { GetCommand, PutCommand },
});
const { countWrites, reset } = tables;
answer({ cpu: cpuMicros, useMemory: () => true, countWrites, reset });
sayReady({ url: `${await listen(createServer(app), 0)}/a2a` });
