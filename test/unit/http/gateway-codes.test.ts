// API Gateway answers some errors instead of our functions; callers and the OpenAPI document must not see two
// kinds of answer.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { bearerChallenge } from '#lib/access/credential.ts';
import { errorTable } from '#lib/errors.ts';
import { problem } from '#lib/http/problem.ts';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { listCodes } from '#lib/routes/openapi-problems.ts';

const gatewayResponse = z.object({
  StatusCode: z.coerce.number(),
  ResponseTemplates: z.object({ 'application/json': z.string() }),
  ResponseParameters: z.record(z.string(), z.string()),
});

test('the errors of API Gateway itself are problem details, with codes of the error table or documented for every route', () => {
  const { Resources } = tenantTemplate({
    id: 'unit',
    models: { default: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0' } },
    modelDefault: 'default',
  });
  const responses = Object.values(Resources).filter(
    ({ Type }) => Type === 'AWS::ApiGateway::GatewayResponse',
  );
  expect(responses.length).toBeGreaterThan(10);
  const statuses = responses.map(({ Properties }) => gatewayResponse.parse(Properties).StatusCode);
  expect(statuses).toContain(401);
  const documented = new Set<string>(listCodes([]));
  const known = new Map(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
  for (const { Properties } of responses) {
    const { StatusCode, ResponseTemplates, ResponseParameters } = gatewayResponse.parse(Properties);
    const { code, status } = problem.parse(JSON.parse(ResponseTemplates['application/json']));
    expect(status, code).toBe(StatusCode);
    expect(known.get(code) ?? StatusCode, code).toBe(StatusCode);
    // The only 401 that reaches callers with the header under its own name (RFC 9110 §11.6.1).
    const challenge = ResponseParameters['gatewayresponse.header.WWW-Authenticate'];
    expect(challenge, code).toBe(StatusCode === 401 ? `'${bearerChallenge}'` : undefined);
    // A path that is no route has no operation that could document it.
    expect(known.has(code) || documented.has(code) || code === 'route_not_found', code).toBe(true);
  }
});
