// Measures what a request to the connector costs: our function beside an express server of the official MCP SDK with the
// same tools, each in a process of its own, over HTTP, in turns. Both check the same API key with the same code.
import * as z from 'zod';
import { installPeers } from './peers.ts';
import { owner, promoteBuild } from './registry-caller.ts';
import { type Row, toFigure } from './row.ts';
import { type Subject, startSubject } from './subject.ts';
import { asDeployed } from './webhook.ts';

const repetitions = 9;
const warmUpRounds = 2;
const requestsPerRound = 200;
/** Ours may take 1.15 times the CPU time of the peer. */
const ratioMin = 0.87;

const hostReady = z.object({ baseUrl: z.string(), environment: z.record(z.string(), z.string()) });
const ready = z.object({ url: z.string() });

const messages = {
  'tools/list': { params: {}, wanted: '"call_agent"' },
  'tools/call': { params: { name: 'list_agents', arguments: {} }, wanted: '"structuredContent"' },
} as const;
type Method = keyof typeof messages;

export async function connectorRows(): Promise<Row[]> {
  await installPeers();
  await using host = await startSubject(new URL('subject-host.ts', import.meta.url));
  const { baseUrl, environment } = hostReady.parse(host.ready);
  const caller = { ...owner.parse(await host.ask('owner')), baseUrl };
  await promoteBuild(caller);
  const options = { environment: { ...environment, ...asDeployed } };
  await using ours = await startSubject(new URL('subject-connector-ours.ts', import.meta.url), options);
  await using peer = await startSubject(new URL('subject-connector-peer.ts', import.meta.url), options);
  const rows: Row[] = [];
  for (const method of ['tools/list', 'tools/call'] as const) {
    const costs: [number[], number[]] = [[], []];
    for (let n = 0; n < warmUpRounds + repetitions; n += 1) {
      const pair = [
        await measureRound(ours, method, caller.key),
        await measureRound(peer, method, caller.key),
      ];
      if (n < warmUpRounds) continue;
      costs[0].push(pair[0] ?? 0);
      costs[1].push(pair[1] ?? 0);
    }
    rows.push({
      what: `MCP ${method}, CPU; peer: the SDK with express`,
      unit: 'µs',
      ours: toFigure(costs[0]),
      peer: toFigure(costs[1]),
      ratioMin,
    });
  }
  return [...rows, await authorizerRow(caller.key, options.environment)];
}

/** What the authorizer computes before each request, which runs in a function of its own. */
async function authorizerRow(key: string, environment: Readonly<Record<string, string>>): Promise<Row> {
  const options = { environment, args: [key] };
  await using authorizer = await startSubject(new URL('subject-authorizer.ts', import.meta.url), options);
  const costs: number[] = [];
  for (let n = 0; n < repetitions; n += 1) costs.push(z.number().parse(await authorizer.ask('cost')));
  return { what: 'the authorizer of the connector, a known key, CPU', unit: 'µs', ours: toFigure(costs) };
}

/** CPU time of one request in µs, as the average of a round. */
async function measureRound(subject: Subject, method: Method, key: string): Promise<number> {
  const { url } = ready.parse(subject.ready);
  const before = await readCpu(subject);
  for (let n = 0; n < requestsPerRound; n += 1) await send(url, method, key);
  return ((await readCpu(subject)) - before) / requestsPerRound;
}

const readCpu = async (subject: Subject) => z.number().parse(await subject.ask('cpu'));

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function send(url: string, method: Method, key: string): Promise<void> {
  const { params, wanted } = messages[method];
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params && { 'mcp-name': params.name }),
      'x-api-key': key,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
  const text = await response.text();
  // A side that does not do the work must not win.
  if (!text.includes(wanted)) throw new Error(`${method} answered ${response.status} ${text.slice(0, 300)}`);
}
