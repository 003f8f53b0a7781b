// Reads the key of a model from Secrets Manager. One command does not need the client of the AWS SDK. Messages name
// the secret and the code of the error, never what was received.
import * as z from 'zod';
import { isTransientFailure } from '#lib/aws.ts';
import { awsEndpoint, readLambdaCredentials, signedHeaders } from '#lib/aws-post.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { retry } from '#lib/retry.ts';
import { type Secret, secret } from '#lib/secret.ts';

const attemptMs = 3_000;
const backoff = { triesMax: 3, pauseMs: 100 };

/**
 * Throws `NodeError`: `model.not_configured` for a secret that cannot be used, and `model.unavailable` when a later
 * attempt may succeed.
 */
export async function readSecretValue(name: string): Promise<Secret> {
  let cause: unknown;
  const value = await retry(async () => {
    try {
      return await requestValue(name);
    } catch (error) {
      if (!isTransientFailure(error)) throw error;
      cause = error;
      return undefined;
    }
  }, backoff);
  if (value) return value;
  throw new NodeError('model.unavailable', `The key of the model, "${name}", cannot be read now.`, { cause });
}

async function requestValue(name: string): Promise<Secret> {
  const { region, ...keys } = readLambdaCredentials();
  const url = new URL(awsEndpoint('secretsmanager', region));
  const body = JSON.stringify({ SecretId: name });
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'secretsmanager.GetSecretValue',
  };
  const scope = { region, service: 'secretsmanager' };
  const signed = await signedHeaders({ url, headers, body, at: new Date() }, keys, scope);
  const response = await fetch(url, {
    method: 'POST',
    headers: signed,
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(attemptMs),
  }).catch(rethrowUnanswered);
  const answer: unknown = await response.json().catch(rethrowUnanswered);
  if (response.ok) return readValue(name, answer);
  throw toFailure(name, answer, response.status);
}

/** No connection, no answer in time, or an answer that ended early. */
function rethrowUnanswered(cause: unknown): never {
  throw Object.assign(new Error('Secrets Manager does not answer.', { cause }), { name: 'RequestTimeout' });
}

const valueSchema = z.object({ SecretString: z.string().trim().min(1) });

/** What `--secret-string file://…` stores often ends with a line break, which no header may contain. */
function readValue(name: string, answer: unknown): Secret {
  const { data } = valueSchema.safeParse(answer);
  if (data) return secret(data.SecretString);
  throw notConfigured(name, 'has no text');
}

const errorSchema = z.object({ __type: z.string() });

function toFailure(name: string, answer: unknown, status: number): Error {
  const code = errorSchema.safeParse(answer).data?.__type.replace(/^.*#/, '') ?? `status ${status}`;
  const failure = Object.assign(new Error(`Secrets Manager answered ${status}.`), {
    name: code,
    $metadata: { httpStatusCode: status },
  });
  return isTransientFailure(failure) || status === 429
    ? failure
    : notConfigured(name, describe(code), failure);
}

/** IAM refuses a name that does not exist like one that the role may not read. */
const describe = (code: string): string =>
  ({
    ResourceNotFoundException: 'does not exist',
    AccessDeniedException: 'does not exist or may not be read by this function',
    InvalidRequestException: 'is scheduled for deletion',
    DecryptionFailure: 'cannot be decrypted',
  })[code] ?? `cannot be read (${code})`;

const notConfigured = (name: string, reason: string, cause?: Error) =>
  new NodeError('model.not_configured', `The key of the model is the secret "${name}", which ${reason}.`, {
    ...(cause && { cause }),
  });
