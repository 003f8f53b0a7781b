// API Gateway answers some errors instead of our functions; callers and the OpenAPI document must not see two
// kinds of answer.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { errorTable } from '#lib/errors.ts';
import { problem } from '#lib/http/problem.ts';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { listCodes } from '#lib/routes/openapi-problems.ts';

const gatewayResponse = z.object({
  StatusCode: z.coerce.number(),
  ResponseTemplates: z.object({ 'application/json': z.string() }),
  // A URL with the id of the API is no text.
  ResponseParameters: z.record(z.string(), z.unknown()),
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
    const text = JSON.parse(ResponseTemplates['application/json']);
    const isJsonRpc = ResponseParameters['gatewayresponse.header.Content-Type'] === "'application/json'";
    const { code, status } = problem.parse(isJsonRpc ? text.error.data : text);
    expect(status, code).toBe(StatusCode);
    expect(known.get(code) ?? StatusCode, code).toBe(StatusCode);
    // The only responses that reach callers with the header under its own name (RFC 9110 §11.6.1): of the authorizer.
    const challenge = ResponseParameters['gatewayresponse.header.WWW-Authenticate'];
    expect(challenge !== undefined, code).toBe(code === 'unauthenticated' || code === 'insufficient_scope');
    if (challenge !== undefined) expect(isJsonRpc).toBe(true);
    // A path that is no route has no operation that could document it.
    expect(known.has(code) || documented.has(code) || code === 'route_not_found', code).toBe(true);
  }
});
