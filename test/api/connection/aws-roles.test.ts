// Roles of AWS in runs, and the confused deputy: an organisation that knows the role, the names and the knowledge base of
// another one has the service use nothing of it. STS and Bedrock are servers that verify signatures.
import { TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { awsHost, newRoleArn, readRole, setRole } from '#test/support/aws-roles.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';

const knowledgeBase = 'KB12345678';
const fact = {
  content: { type: 'TEXT', text: 'The password of the vault is swordfish.' },
  location: { type: 'S3', s3Location: { uri: 's3://secrets/vault.pdf' } },
  score: 0.9,
};
const aws = { services: ['bedrock'], regions: ['eu-central-1'] };

const storeRole = async (caller: TestCaller, role_arn: string, some: object = {}) => {
  const credential = { role_arn, ...aws };
  return await putConnection(caller, 'kb', { type: 'aws_sigv4', hosts: [awsHost()], credential, ...some });
};

/** An organisation with a role that trusts the service with the external id of its connection alone. */
async function newOwner(some: object = {}): Promise<{ owner: TestCaller; arn: string; externalId: string }> {
  const owner = await newCaller();
  const arn = newRoleArn();
  const externalId = String((await storeRole(owner, arn, some)).body.external_id);
  await setRole({ arn, external_ids: [externalId], knowledge_bases: { [knowledgeBase]: [fact] } });
  return { owner, arn, externalId };
}

const retrieve = (query: string) => ({
  method: 'POST',
  url: `http://${awsHost()}/knowledgebases/${knowledgeBase}/retrieve`,
  connection: 'kb',
  body: {
    retrievalQuery: { text: query },
    retrievalConfiguration: { vectorSearchConfiguration: { numberOfResults: 3 } },
  },
});

const declaring = (nodes: JsonObject, { scope, ...some }: { scope?: 'user'; models?: JsonObject } = {}) =>
  flow({
    start: 'find',
    egress: [awsHost()],
    connections: { kb: { type: 'aws_sigv4', hosts: [awsHost()], aws, ...(scope && { scope }) } },
    nodes,
    ...some,
  });

/** An `http` node, whose error is its output. */
const searching = (some: { scope?: 'user' } = {}) =>
  declaring(
    {
      find: {
        type: 'http',
        ...retrieve('{{ input.message }}'),
        catch: [{ on: ['*'], next: 'failed' }],
        next: 'found',
      },
      found: { type: 'end', output: { text: '{{ nodes.find.body.retrievalResults[0].content.text }}' } },
      failed: { type: 'end', output: { code: '{{ nodes.find.error.code }}' } },
    },
    some,
  );

/** An agent with the tool `knowledge`. */
const asking = () =>
  declaring(
    {
      find: {
        type: 'agent',
        instructions: 'Answer from the vault.',
        tools: [
          {
            name: 'vault',
            description: 'Finds secrets.',
            knowledge: {
              http: {
                ...retrieve('{{ args.query }}'),
                select:
                  '{{ [body.retrievalResults.{ "text": content.text, "source": location.s3Location.uri, "score": score }] }}',
              },
            },
          },
        ],
        next: 'done',
      },
      done: { type: 'end', output: { citations: '{{ nodes.find.citations }}' } },
    },
    { models: scriptedModels },
  );

async function ran(agent: TestAgent) {
  const id = await startedRun(agent, 'vault');
  await idle();
  return await runState(agent, id);
}

/** What the model learns from its search, and the state of the run. */
async function asked(agent: TestAgent) {
  const script = newModelScript();
  const id = await startedRun(agent, script.prompt);
  await script.callTool('vault', { query: 'vault' }, 1);
  const learned = await script.answer('It is said in [1].', 2);
  await idle();
  return { learned, state: await runState(agent, id) };
}

const accountsOf = async (arn: string) => {
  const { assumed, signed } = await readRole(arn);
  return { orgs: assumed.map((form) => form['Tags.member.1.Value']), signed };
};

describe('a role is used by the organisation that it trusts', () => {
  test('in an http node, with a signature for the service and region of the connection', async () => {
    const { owner, arn, externalId } = await newOwner();
    const state = await ran(await liveAgent({ flow: searching() }, owner));
    expect(state).toMatchObject({ status: 'completed', response: { text: fact.content.text } });
    expect(await accountsOf(arn)).toEqual({
      orgs: [owner.orgid],
      signed: [
        {
          service: 'bedrock',
          region: 'eu-central-1',
          target: `/knowledgebases/${knowledgeBase}/retrieve`,
          external_id: externalId,
        },
      ],
    });
  });

  test('in the tool `knowledge` of an agent, which cites what was found', async () => {
    const { owner } = await newOwner();
    const { learned, state } = await asked(await liveAgent({ flow: asking() }, owner));
    expect(learned).toContain('swordfish');
    expect(state).toMatchObject({
      response: { citations: [{ id: 1, source: 's3://secrets/vault.pdf', score: 0.9 }] },
    });
  });
});

describe('another organisation', () => {
  /** One that has the role of another as its own, under the same name in a workspace of the same id. */
  async function newImpostor() {
    const { owner, arn, externalId } = await newOwner();
    // The process has a session of the role from now on.
    await ran(await liveAgent({ flow: searching() }, owner));
    const impostor = { ...(await newCaller()), workspaceid: owner.workspaceid };
    const stored = await storeRole(impostor, arn);
    return { arn, externalId, impostor, stored };
  }

  test('has another external id for the same role, name and workspace, and is refused by STS', async () => {
    const { arn, externalId, impostor, stored } = await newImpostor();
    expect(stored.status).toBe(200);
    expect(stored.body.external_id).not.toBe(externalId);
    const state = await ran(await liveAgent({ flow: searching() }, impostor));
    expect(state).toMatchObject({ status: 'completed', response: { code: 'connection.refused' } });
    const { assumed, signed } = await readRole(arn);
    expect(assumed.map(({ ExternalId }) => ExternalId)).toEqual([externalId, stored.body.external_id]);
    expect(assumed[1]).toMatchObject({ 'Tags.member.1.Value': impostor.orgid });
    expect(signed).toHaveLength(1);
  });

  test('finds nothing with the tool `knowledge`: the model learns that the role is refused', async () => {
    const { arn, impostor } = await newImpostor();
    const { learned, state } = await asked(await liveAgent({ flow: asking() }, impostor));
    expect(learned).toContain('connection.refused: The role of the connection');
    expect(learned).not.toContain('swordfish');
    expect(state).toMatchObject({ status: 'completed', response: { citations: [] } });
    expect((await readRole(arn)).signed).toHaveLength(1);
  });

  test('cannot choose the external id', async () => {
    const { arn, externalId, impostor } = await newImpostor();
    const credential = { role_arn: arn, ...aws };
    for (const [body, pointer] of [
      [{ credential: { ...credential, external_id: externalId } }, '/body/credential/external_id'],
      [{ credential, external_id: externalId }, '/body/external_id'],
    ] as const) {
      const { status, problem } = await putConnection(impostor, 'kb', {
        type: 'aws_sigv4',
        hosts: [awsHost()],
        ...body,
      });
      expect({ status, pointers: problem.errors?.map((error) => error.pointer) }).toEqual({
        status: 400,
        pointers: [pointer],
      });
    }
  });

  test('has no connection by the name of that of another one, and its run waits for its own', async () => {
    const { owner, arn } = await newOwner();
    const stranger = { ...(await newCaller()), workspaceid: owner.workspaceid };
    expect(await ran(await liveAgent({ flow: searching() }, stranger))).toMatchObject({
      status: 'auth_required',
    });
    expect(await readRole(arn)).toEqual({ assumed: [], signed: [] });
  });
});

describe('a public agent that another organisation calls', () => {
  const ask = async (agent: TestAgent, { key }: TestCaller) => {
    const client = await officialClient(agentUrls(agent).live, key);
    return asTask(await client.sendMessage(sending('vault')));
  };

  test('uses the role of its owner, for what its flow does', async () => {
    const { owner, arn, externalId } = await newOwner();
    const agent = await liveAgent({ flow: searching(), visibility: 'public' }, owner);
    const task = await ask(agent, await newCaller());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(JSON.stringify(task.artifacts)).toContain('swordfish');
    expect((await readRole(arn)).assumed).toMatchObject([
      { ExternalId: externalId, 'Tags.member.1.Value': owner.orgid },
    ]);
  });

  test('does not use the role that somebody else has stored for himself, with the scope `user`', async () => {
    const { owner, arn } = await newOwner({ scope: 'user' });
    const agent = await liveAgent({ flow: searching({ scope: 'user' }), visibility: 'public' }, owner);
    expect((await ran(agent)).response).toEqual({ text: fact.content.text });
    const task = await ask(agent, await newCaller());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_AUTH_REQUIRED);
    expect((await readRole(arn)).signed).toHaveLength(1);
  });
});
