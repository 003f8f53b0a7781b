// The clients for Python, in a process of their own: `clients.py` runs the scenarios and prints a line of JSON for each
// result.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { TestedService } from './deployment.ts';
import { urlNames } from './deployment.ts';
import type { Result } from './table.ts';

interface Python {
  readonly program: string;
  /** Of the SDK. */
  readonly version: string;
}

export async function findPython(): Promise<Python | { readonly missing: string }> {
  const program = process.env.PYTHON || 'python3';
  const read = 'import a2a.client, importlib.metadata; print(importlib.metadata.version("a2a-sdk"))';
  const { code, output } = await run(program, ['-c', read]);
  if (code === 'missing') return { missing: `there is no program "${program}" (PYTHON names another).` };
  const version = output.trim();
  if (code !== 0)
    return { missing: `"${program}" does not have the package a2a-sdk (pip install "a2a-sdk[signing]").` };
  if (!version.startsWith('1.')) return { missing: `"${program}" has a2a-sdk ${version}, which is not 1.x.` };
  return { program, version };
}

export async function tryPython({ program, version }: Python, service: TestedService): Promise<Result[]> {
  const keyed = async (binding: string, url: (typeof urlNames)[number]) => ({
    binding,
    url,
    key: await service.newKey(),
    states: service.agents.states[url],
    connection: service.agents.connection[url],
  });
  const columns = await Promise.all(
    ['JSONRPC', 'HTTP+JSON'].flatMap((binding) => urlNames.map((url) => keyed(binding, url))),
  );
  const { baseUrl, workspaceid, isLocal } = service;
  const script = new URL('clients.py', import.meta.url).pathname;
  const { code, output } = await run(program, [script], { baseUrl, workspaceid, isLocal, columns });
  if (code !== 0)
    throw new Error(`The clients for Python ended with exit code ${code}; the reason is above.`);
  const lines = output.split('\n').filter((line) => line !== '');
  return lines.map((line) => ({ client: `python ${version}`, ...result.parse(JSON.parse(line)) }));
}

const result = z.object({
  scenario: z.string(),
  binding: z.string(),
  url: z.enum(urlNames),
  outcome: z.enum(['pass', 'fail', 'not offered']),
  reason: z.string().optional(),
});

/** Its errors are shown only if it is given input. */
async function run(program: string, args: readonly string[], input?: object) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', input ? 'inherit' : 'ignore'] });
  const ended = once(child, 'close');
  ended.catch(() => {});
  child.stdin.on('error', () => {});
  child.stdin.end(input ? JSON.stringify(input) : '');
  const output = await text(child.stdout);
  try {
    const [code]: unknown[] = await ended;
    return { code, output };
  } catch {
    return { code: 'missing', output };
  }
}
