// `GetSecretValue` of Secrets Manager as a server on loopback: request, answer and errors as its API reference has them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';
import { verifyAwsSignature } from './verify-aws-signature.ts';

interface Refusal {
  readonly status: number;
  readonly name: string;
}

export interface SecretsManager extends AsyncDisposable {
  readonly url: string;
  /** What operators have stored, by name. */
  readonly secrets: Map<string, string>;
  /** The names that were asked for so far. */
  readonly asked: string[];
  /** The next answers, before those with secrets; `close` breaks off the connection. */
  readonly refusals: (Refusal | 'close')[];
}

const requestSchema = z.strictObject({ SecretId: z.string().min(1).max(2_048) });

/** `secretAccessKey` is that of the function, in the region eu-central-1. */
export async function startSecretsManager(secretAccessKey: string): Promise<SecretsManager> {
  const secrets = new Map<string, string>();
  const asked: string[] = [];
  const refusals: SecretsManager['refusals'] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readText(request);
    const { SecretId } = requestSchema.parse(JSON.parse(body));
    asked.push(SecretId);
    const refusal = isSigned(request, body, secretAccessKey)
      ? refusals.shift()
      : { status: 400, name: 'InvalidSignatureException' };
    if (refusal === 'close') return void response.destroy();
    if (refusal) return send(response, refusal.status, { __type: refusal.name, Message: 'No.' });
    const SecretString = secrets.get(SecretId);
    if (SecretString !== undefined)
      return send(response, 200, { ARN: `arn:${SecretId}`, Name: SecretId, SecretString });
    send(response, 400, { __type: 'ResourceNotFoundException', Message: 'Secrets Manager can’t find it.' });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const url = await listen(server, 0);
  return { url, secrets, asked, refusals, [Symbol.asyncDispose]: () => closeServer(server) };
}

function isSigned({ method = '', url = '', headers }: IncomingMessage, body: string, key: string): boolean {
  const signature = verifyAwsSignature({ method, target: url, headers, body }, () => key);
  return (
    signature?.service === 'secretsmanager' &&
    signature.signedHeaders.includes('x-amz-target') &&
    headers['x-amz-target'] === 'secretsmanager.GetSecretValue' &&
    headers['content-type'] === 'application/x-amz-json-1.1'
  );
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}
