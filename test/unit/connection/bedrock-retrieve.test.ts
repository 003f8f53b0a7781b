// A knowledge base of Bedrock on the wire: what the tool `knowledge` sends and reads, against a server that verifies the
// signature for the host of AWS and answers as the API reference of `Retrieve` says.
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createHttpPort } from '#lib/connection/http-port.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { OutgoingRequest } from '#lib/egress/http-round-trip.ts';
import { type AwsAccount, newAwsAccount } from '#test/support/aws-account.ts';
import { answerRetrieve, type RetrievalResult, refuseRetrieve } from '#test/support/bedrock-retrieve.ts';
import {
  readAgentOutput,
  reportedResults,
  runAgent,
  says,
  turns,
  wants,
} from '../flow/agent/scripted-agents.ts';
import { awsConnection, functionKey, withFunctionKey } from './aws.ts';
import { connectWith, fetchTo } from './connections.ts';
import { type Loopback, loopback, readText } from './loopback.ts';

const host = 'bedrock-agent-runtime.eu-central-1.amazonaws.com';
const aws = { services: ['bedrock'], regions: ['eu-central-1'] };
const knowledge = { knowledge_base: 'KB12345678', region: 'eu-central-1', connection: 'kb', top_k: 3 };

const results: readonly RetrievalResult[] = [
  {
    content: { type: 'TEXT', text: 'Everybody has 30 days.' },
    location: { type: 'S3', s3Location: { uri: 's3://handbook/leave.pdf' } },
    metadata: { 'x-amz-bedrock-kb-source-uri': 's3://handbook/leave.pdf', year: 2026 },
    score: 0.71,
  },
  {
    content: { type: 'IMAGE', byteContent: 'data:image/png;base64,AAAA' },
    location: { type: 'S3', s3Location: { uri: 's3://handbook/plan.png' } },
  },
  {
    content: {
      type: 'ROW',
      row: [
        { columnName: 'country', columnValue: 'DE', type: 'STRING' },
        { columnName: 'days', columnValue: '30', type: 'LONG' },
      ],
    },
    location: { type: 'SQL', sqlLocation: { query: 'SELECT country, days FROM leave' } },
  },
];

interface Bedrock extends AsyncDisposable {
  readonly server: Loopback;
  readonly bodies: unknown[];
  readonly signedHeaders: (readonly string[])[];
  readonly http: ReturnType<typeof createHttpPort>;
}

async function bedrock(refuse: (response: ServerResponse) => boolean = () => false): Promise<Bedrock> {
  const bodies: unknown[] = [];
  const signedHeaders: (readonly string[])[] = [];
  const account: AwsAccount = newAwsAccount({ serviceKey: functionKey, trusts: () => true });
  const sts = await loopback(async (request, response) =>
    account.answerSts(request, await readText(request), response),
  );
  const server = await loopback(async (request, response) => {
    const body = await readText(request);
    const signed = account.verify(request, body);
    const isSigned = signed?.service === 'bedrock' && signed.region === 'eu-central-1';
    if (!isSigned || request.headers.host !== host)
      return refuseRetrieve(response, { status: 403, name: 'InvalidSignatureException' });
    if (refuse(response)) return;
    bodies.push(JSON.parse(body));
    signedHeaders.push(signed.signedHeaders);
    answerRetrieve(request, body, response, (id) => (id === knowledge.knowledge_base ? results : undefined));
  });
  const restore = withFunctionKey(sts.url);
  const fetch = leadTo(server, fetchTo(sts.host, server.host));
  const values = { kb: awsConnection([host], aws) };
  return {
    server,
    bodies,
    signedHeaders,
    http: createHttpPort(connectWith({ fetch, values })),
    [Symbol.asyncDispose]: async () => {
      restore();
      await sts[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The name of AWS leads to the server; the signature and the header `Host` are those for AWS. */
const leadTo =
  (server: Loopback, fetch: GuardedFetch): GuardedFetch =>
  async (input, init = {}) => {
    const asked = new URL(String(input));
    const { credential, egress: _egress, ...others } = init;
    if (asked.host !== host || credential?.to !== 'signature') return await fetch(input, init);
    const sign = async (request: OutgoingRequest) => {
      const signed = await credential.sign({ ...request, url: asked });
      const headers = new Headers(signed.headers);
      headers.set('host', host);
      return { ...signed, headers, url: new URL(signed.url.pathname + signed.url.search, server.url) };
    };
    return await fetch(`${server.url}${asked.pathname}`, { ...others, credential: { ...credential, sign } });
  };

async function search({ http }: Bedrock, fields: object = {}) {
  const tool = { name: 'search', description: 'Searches.', knowledge: { ...knowledge, ...fields } };
  const { outcome, prompts } = await runAgent(
    { tools: [tool] },
    {
      model: turns(wants(['search', { query: 'leave' }]), says('30 days [1], also in the table [2].')),
      http,
    },
    { egress: [host], connections: { kb: { type: 'aws_sigv4', hosts: [host], aws } } },
  );
  return { output: readAgentOutput(outcome), result: reportedResults(prompts)[0] ?? '' };
}

describe('Retrieve', () => {
  test('is sent as documented, signed for the service bedrock with its host, and its results are cited', async () => {
    await using world = await bedrock();
    const { output } = await search(world);
    expect(world.server.requests.map(({ method, url }) => [method, url])).toEqual([
      ['POST', '/knowledgebases/KB12345678/retrieve'],
    ]);
    expect(world.bodies).toEqual([
      {
        retrievalQuery: { text: 'leave' },
        retrievalConfiguration: { vectorSearchConfiguration: { numberOfResults: 3 } },
      },
    ]);
    expect(world.signedHeaders[0]).toEqual(
      expect.arrayContaining(['content-type', 'host', 'x-amz-date', 'x-amz-security-token']),
    );
    expect(output).toMatchObject({
      citations: [
        { id: 1, source: 's3://handbook/leave.pdf', text: 'Everybody has 30 days.', score: 0.71 },
        { id: 2, source: 'SELECT country, days FROM leave', text: 'country: DE, days: 30', score: null },
      ],
    });
  });

  test('of a knowledge base that the role may not search is an error that the model gets', async () => {
    await using world = await bedrock();
    const { result, output } = await search(world, { knowledge_base: 'KBOFOTHERS' });
    expect(result).toMatch(/^Error: .*403/s);
    expect(output).toMatchObject({ citations: [] });
  });

  test.each([
    [429, 'ThrottlingException'],
    [404, 'ResourceNotFoundException'],
    [500, 'InternalServerException'],
  ])('that is answered with %i %s is an error with its message', async (status, name) => {
    await using world = await bedrock((response) => {
      refuseRetrieve(response, { status, name });
      return true;
    });
    const { result } = await search(world);
    expect(result).toMatch(/^Error: /);
    expect(result).toContain(String(status));
    expect(result).toContain(`${name} of this request`);
  });
});
