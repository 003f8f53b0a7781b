// AWS for the runs of the service under test: roles with trust policies that tests set, in accounts that have knowledge bases.
// `test/support/aws-roles.ts` is the test's side.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';
import { newAwsAccount } from './aws-account.ts';
import { answerRetrieve, refuseRetrieve } from './bedrock-retrieve.ts';

/** A role, and what it may search. */
export const scriptedRole = z.strictObject({
  arn: z.string(),
  external_ids: z.array(z.string()),
  knowledge_bases: z.record(z.string(), z.array(z.looseObject({}))),
});
export type ScriptedRole = z.infer<typeof scriptedRole>;

/** What has arrived for one role. */
export const roleRecord = z.object({
  assumed: z.array(z.record(z.string(), z.string())),
  /** Requests that were signed under the role. */
  signed: z.array(
    z.object({ service: z.string(), region: z.string(), target: z.string(), external_id: z.string() }),
  ),
});
export type RoleRecord = z.infer<typeof roleRecord>;

export interface ScriptedAws {
  readonly url: string;
  readonly stsUrl: string;
  readonly close: () => Promise<void>;
}

/** `serviceKey`: the access key of the functions. */
export async function startScriptedAws(serviceKey: { id: string; secret: string }): Promise<ScriptedAws> {
  const roles = new Map<string, ScriptedRole>();
  const signed: (RoleRecord['signed'][number] & { readonly arn: string })[] = [];
  const account = newAwsAccount({
    serviceKey: { ...serviceKey, token: undefined },
    trusts: ({ RoleArn = '', ExternalId = '' }) =>
      roles.get(RoleArn)?.external_ids.includes(ExternalId) === true,
  });
  const readRecord = (arn: string | null): RoleRecord => ({
    assumed: account.assumed.filter(({ RoleArn }) => RoleArn === arn).map((form) => ({ ...form })),
    signed: signed.filter((one) => one.arn === arn),
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://aws');
    const body = await text(request);
    if (pathname === '/sts') return account.answerSts(request, body, response);
    if (pathname !== '/roles') return answerSigned(request, body, response);
    if (request.method === 'PUT') {
      const role = scriptedRole.parse(JSON.parse(body));
      roles.set(role.arn, role);
    }
    response.end(JSON.stringify(readRecord(searchParams.get('arn'))));
  };
  const answerSigned = (request: IncomingMessage, body: string, response: ServerResponse) => {
    const use = account.verify(request, body);
    if (use?.service !== 'bedrock')
      return refuseRetrieve(response, { status: 403, name: 'UnrecognizedClientException' });
    const { service, region, session } = use;
    const { roleArn: arn, externalId: external_id } = session;
    signed.push({ arn, service, region, target: request.url ?? '', external_id });
    answerRetrieve(request, body, response, (id) => roles.get(arn)?.knowledge_bases[id]);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  const url = await listen(server, 0);
  return { url, stsUrl: `${url}/sts`, close: () => closeServer(server) };
}
