// The providers of models and the variables by which the environment gives access to them, the same that the clients of
// the providers read.
import * as z from 'zod';
import { createSigner } from '#lib/aws-signer.ts';
import type { ModelEntry } from '#lib/model/catalog.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { type AwsAccess, findAwsAccess } from './aws-access.ts';
import { describeStatus, ListFailure } from './model-list-failure.ts';

export interface Source {
  readonly provider: string;
  /** What was found. */
  readonly variable: string;
  /** The variable that names one model. */
  readonly override: string;
  readonly address: string;
  /** The variable of the functions that holds the key of the models, with the key. */
  readonly key: readonly [variable: string, key: Secret] | undefined;
  /** Throws `ListFailure` or what `fetch` throws. */
  readonly list: () => Promise<readonly string[]>;
  /** Of the models, a small one as the default. */
  readonly preferred: RegExp;
  readonly toEntry: (id: string) => ModelEntry;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function modelSources(env: Variables): readonly Source[] {
  return [openAi(env), anthropic(env), bedrock(env)].filter((source) => source !== undefined);
}

function openAi({ OPENAI_API_KEY, OPENAI_BASE_URL }: Variables): Source | undefined {
  if (!OPENAI_API_KEY && !OPENAI_BASE_URL) return undefined;
  const address = withoutSlash(OPENAI_BASE_URL || 'https://api.openai.com/v1');
  const key = OPENAI_API_KEY ? secret(OPENAI_API_KEY.trim()) : undefined;
  return {
    provider: 'openai',
    variable: OPENAI_BASE_URL ? 'OPENAI_BASE_URL' : 'OPENAI_API_KEY',
    override: 'OPENAI_MODEL',
    address,
    key: key && ['MODEL_KEY_OPENAI', key],
    list: () => listOpenAiModels(address, key ? { authorization: `Bearer ${key.reveal()}` } : {}),
    preferred: /^gpt-.*mini/,
    toEntry: (model) => ({
      provider: 'openai-compatible',
      base_url: address,
      model,
      ...(key && { api_key_ref: 'MODEL_KEY_OPENAI' }),
    }),
  };
}

/** The variable of the functions. */
export const anthropicKey = 'MODEL_KEY_ANTHROPIC';

/** By the endpoint of Anthropic with the API of OpenAI. */
function anthropic({ ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL }: Variables): Source | undefined {
  if (!ANTHROPIC_API_KEY) return undefined;
  const address = `${withoutSlash(ANTHROPIC_BASE_URL || 'https://api.anthropic.com')}/v1`;
  const key = secret(ANTHROPIC_API_KEY.trim());
  return {
    provider: 'anthropic',
    variable: 'ANTHROPIC_API_KEY',
    override: 'ANTHROPIC_MODEL',
    address,
    key: [anthropicKey, key],
    list: () => listOpenAiModels(address, { 'x-api-key': key.reveal(), 'anthropic-version': '2023-06-01' }),
    preferred: /haiku/,
    toEntry: (model) => ({
      provider: 'openai-compatible',
      base_url: address,
      model,
      api_key_ref: anthropicKey,
    }),
  };
}

function bedrock(env: Variables): Source | undefined {
  const access = findAwsAccess(env);
  if (!access) return undefined;
  const { region } = access;
  const address = env.AWS_ENDPOINT_URL_BEDROCK || `https://bedrock.${region}.amazonaws.com`;
  return {
    provider: 'bedrock',
    variable: access.variable,
    override: 'BEDROCK_MODEL',
    address,
    key: undefined,
    list: () => listInferenceProfiles(address, access),
    preferred: /nova-lite/,
    toEntry: (model) => ({ provider: 'bedrock', model, region }),
  };
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

/** The newest first, where the provider says so. */
const openAiModels = z
  .object({ data: z.array(z.object({ id: z.string().min(1), created: z.number().default(0) })) })
  .transform(({ data }) => data.toSorted((a, b) => b.created - a.created).map(({ id }) => id));

const listOpenAiModels = async (address: string, headers: Record<string, string>) =>
  await readList(await get(`${address}/models`, headers), openAiModels);

const inferenceProfiles = z
  .object({ inferenceProfileSummaries: z.array(z.object({ inferenceProfileId: z.string().min(1) })) })
  .transform((list) => list.inferenceProfileSummaries.map((profile) => profile.inferenceProfileId));

async function listInferenceProfiles(address: string, access: AwsAccess): Promise<readonly string[]> {
  const url = new URL(`${address}/inference-profiles?maxResults=100`);
  const headers = await authorize(url, access);
  return await readList(await get(url.href, headers), inferenceProfiles);
}

async function authorize({ host, hostname, pathname, protocol }: URL, access: AwsAccess) {
  const credential = await access.readCredential();
  if ('bearer' in credential) return { authorization: `Bearer ${credential.bearer.reveal()}` };
  const keys = { ...credential, secretAccessKey: credential.secretAccessKey.reveal() };
  const signer = createSigner(keys, { region: access.region, service: 'bedrock' });
  const { headers } = await signer.sign({
    method: 'GET',
    protocol,
    hostname,
    path: pathname,
    query: { maxResults: '100' },
    headers: { host },
  });
  return headers;
}

const listMs = 4_000;

async function get(url: string, headers: Record<string, string>): Promise<Response> {
  return await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(listMs) });
}

async function readList(response: Response, schema: z.ZodType<string[]>): Promise<readonly string[]> {
  if (!response.ok) throw new ListFailure(describeStatus(response.status));
  const read = schema.safeParse(await response.json().catch(() => undefined));
  if (read.success) return read.data;
  throw new ListFailure('the answer is not a list of models');
}
