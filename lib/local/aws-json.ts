// Calls a local engine over the AWS JSON protocol, so that the host need not load three SDK clients at each
// start.
import * as z from 'zod';
import { region } from './account.ts';

const answerSchema = z.record(z.string(), z.unknown());

/** The engines require a signature but do not verify it. */
const signature = {
  authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/${region}/local/aws4_request, SignedHeaders=host;x-amz-date, Signature=0`,
  'x-amz-date': '20260101T000000Z',
};

export const awsHeaders = (target: string) => ({
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': target,
  ...signature,
});

export class EngineError extends Error {
  readonly code: string;
  constructor(target: string, code: string, message: string) {
    super(`${target}: ${code}: ${message}`);
    this.name = 'EngineError';
    this.code = code;
  }
}

export async function awsJson(
  endpoint: string,
  target: string,
  body: object,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: awsHeaders(target),
    body: JSON.stringify(body),
    signal: signal ?? AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  const answer = answerSchema.parse(text === '' ? {} : JSON.parse(text));
  if (response.ok) return answer;
  const code = String(answer.__type ?? response.status).replace(/^.*#/, '');
  throw new EngineError(target, code, String(answer.message ?? answer.Message ?? text));
}
