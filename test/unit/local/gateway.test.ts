// The local API Gateway over HTTP, with buffered functions: what they are given, what becomes of their
// answers, and the gateway's own errors.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, startHost } from '#lib/local/host.ts';
import { fn, gatewayResponse, gatewayUrl, restApi } from './fixtures/template.ts';

const problem =
  '{"title":$context.error.messageString,"status":$context.status,"path":"$context.path","id":"$context.requestId"}';
const template = {
  Resources: {
    Echo: fn('echo', { Environment: { Variables: { GATEWAY_URL: gatewayUrl } } }),
    Answer: fn('answer', { Timeout: 1 }),
    ...restApi(
      [
        { method: 'GET', path: '/things/{id}', functionId: 'Echo' },
        { method: 'POST', path: '/things', functionId: 'Echo' },
        { method: 'POST', path: '/answer', functionId: 'Answer' },
        { method: 'POST', path: '/impatient', functionId: 'Answer', integration: { TimeoutInMillis: 50 } },
        {
          method: 'OPTIONS',
          path: '/things',
          functionId: 'Echo',
          integration: {
            Type: 'MOCK',
            Uri: undefined,
            IntegrationResponses: [
              {
                StatusCode: '204',
                ResponseParameters: { 'method.response.header.Access-Control-Allow-Origin': "'*'" },
              },
            ],
          },
        },
      ],
      { BinaryMediaTypes: ['image/*'] },
    ),
    Unknown: gatewayResponse('MISSING_AUTHENTICATION_TOKEN', {
      StatusCode: '404',
      ResponseTemplates: { 'application/problem+json': problem.replace('$context.status', '404') },
      ResponseParameters: {
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Asked': 'method.request.header.X-Ask',
      },
    }),
    ServerError: gatewayResponse('DEFAULT_5XX', {
      ResponseTemplates: { 'application/problem+json': '{"title":$context.error.messageString}' },
    }),
  },
};

let host: Host;
const logged: string[] = [];
beforeAll(async () => {
  host = await startHost({ template, dataDir: undefined, port: 0, log: (line) => logged.push(line) });
});
afterAll(() => host.close());

const answerWith = (wish: object, path = '/answer', headers: Record<string, string> = {}) =>
  fetch(`${host.baseUrl}${path}`, { method: 'POST', body: JSON.stringify(wish), headers });

async function sendForEvent(init: RequestInit): Promise<unknown> {
  const response = await fetch(`${host.baseUrl}/things`, init);
  return JSON.parse(await response.text()).event;
}

/** Bytes on the wire, because fetch rewrites headers. */
async function raw(request: string): Promise<string> {
  const { port } = new URL(host.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(request);
  return text(socket);
}

describe('a function gets the proxy event of a REST API', () => {
  test("complete, with the client's spelling of headers and all values of repeated ones", async () => {
    const own = `LocalHost:${new URL(host.baseUrl).port}`;
    const answer = await raw(
      [
        'GET /things/a%20b%2Fc?q=1&q=two+words&empty=&%C3%BC=%26 HTTP/1.1',
        `Host: ${own}`,
        'User-Agent: golden',
        'X-Twice: one',
        'x-twice: two',
        'Connection: close',
        '\r\n',
      ].join('\r\n'),
    );
    const { event, functionName, remaining } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect(functionName).toBe('Echo');
    expect(remaining).toBeGreaterThan(9_000);
    const port = new URL(host.baseUrl).port;
    const trace = expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
    const { requestId, extendedRequestId, requestTime, requestTimeEpoch, identity, ...requestContext } =
      event.requestContext;
    expect({ ...event, requestContext }).toEqual({
      resource: '/things/{id}',
      path: '/things/a%20b%2Fc',
      httpMethod: 'GET',
      headers: {
        Host: own,
        'User-Agent': 'golden',
        'X-Twice': 'two',
        Connection: 'close',
        'X-Forwarded-For': '127.0.0.1',
        'X-Forwarded-Port': port,
        'X-Forwarded-Proto': 'http',
        'X-Amzn-Trace-Id': trace,
      },
      multiValueHeaders: {
        Host: [own],
        'User-Agent': ['golden'],
        'X-Twice': ['one', 'two'],
        Connection: ['close'],
        'X-Forwarded-For': ['127.0.0.1'],
        'X-Forwarded-Port': [port],
        'X-Forwarded-Proto': ['http'],
        'X-Amzn-Trace-Id': [trace],
      },
      queryStringParameters: { q: 'two words', empty: '', ü: '&' },
      multiValueQueryStringParameters: { q: ['1', 'two words'], empty: [''], ü: ['&'] },
      pathParameters: { id: 'a b/c' },
      stageVariables: null,
      requestContext: {
        accountId: '000000000000',
        apiId: 'Api',
        resourceId: expect.any(String),
        resourcePath: '/things/{id}',
        httpMethod: 'GET',
        path: '/things/a%20b%2Fc',
        stage: 'prod',
        protocol: 'HTTP/1.1',
        domainName: own,
        domainPrefix: 'LocalHost',
        deploymentId: 'local',
      },
      body: null,
      isBase64Encoded: false,
    });
    expect(identity).toMatchObject({ sourceIp: '127.0.0.1', userAgent: 'golden', caller: null });
    expect(requestTime).toMatch(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
    expect(Math.abs(requestTimeEpoch - Date.now())).toBeLessThan(60_000);
    expect(answer.toLowerCase()).toContain(`x-amzn-requestid: ${requestId}`);
    expect(extendedRequestId).toBeTruthy();
  });

  test('with null instead of empty maps if there are no parameters', async () => {
    expect(await sendForEvent({ method: 'POST', body: 'tëxt' })).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: 'tëxt',
      isBase64Encoded: false,
    });
  });

  test('with a body of a binary media type in base64', async () => {
    const body = Buffer.from([0, 255, 254]);
    const init = { method: 'POST', body, headers: { 'content-type': 'image/png' } };
    expect(await sendForEvent(init)).toMatchObject({ body: body.toString('base64'), isBase64Encoded: true });
  });

  test('with the local address of the gateway in its environment', () => {
    expect(host.environment.GATEWAY_URL).toBe(host.baseUrl);
  });
});

describe('the response of a function is sent like that of API Gateway', () => {
  test('with both kinds of headers, where multi-value headers take precedence', async () => {
    const headers = { 'X-A': 'single', 'X-N': 7 };
    const multiValueHeaders = { 'x-a': ['multi'], 'Set-Cookie': ['a=1', 'b=2'] };
    const response = await answerWith({
      answer: { statusCode: 418, headers, multiValueHeaders, body: 'tea' },
    });
    expect([response.status, await response.text()]).toEqual([418, 'tea']);
    expect(response.headers.get('x-a')).toBe('multi');
    expect(response.headers.get('x-n')).toBe('7');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  test('with WWW-Authenticate renamed, as by API Gateway', async () => {
    const headers = { 'WWW-Authenticate': 'Bearer' };
    const response = await answerWith({ answer: { statusCode: 401, headers } });
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
  });

  test('with base64 decoded only if the client accepts a binary media type', async () => {
    const answer = { statusCode: 200, body: 'AP/+', isBase64Encoded: true };
    const binary = await answerWith({ answer }, '/answer', { accept: 'image/png' });
    expect(Buffer.from(await binary.arrayBuffer())).toEqual(Buffer.from([0, 255, 254]));
    const asText = await answerWith({ answer }, '/answer', { accept: 'text/plain' });
    expect(await asText.text()).toBe('AP/+');
  });

  test.each([
    ['nothing', undefined],
    ['a bare string', 'text'],
    ['no status', { body: 'x' }],
    ['a status that is none', { statusCode: 99 }],
    ['an object as body', { statusCode: 200, body: { a: 1 } }],
    ['an object as header', { statusCode: 200, headers: { a: {} } }],
  ])('%s is a malformed response and gives 502', async (_name, answer) => {
    const response = await answerWith({ answer });
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ title: 'Internal server error' });
  });
});

describe('errors are answered by the gateway, in the form of the template', () => {
  test('an unknown route', async () => {
    const response = await fetch(`${host.baseUrl}/no/where?x=1`, { headers: { 'x-ask': 'asked' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-asked')).toBe('asked');
    const id = response.headers.get('x-request-id');
    expect(id).toBe(response.headers.get('x-amzn-requestid'));
    const body = await response.json();
    expect(body).toEqual({ title: 'Missing Authentication Token', status: 404, path: '/no/where', id });
  });

  test('a known route with another method', async () => {
    expect((await fetch(`${host.baseUrl}/things`, { method: 'DELETE' })).status).toBe(404);
  });

  test('a handler that throws gives 502 without the reason', async () => {
    const response = await answerWith({ throw: 'secret' });
    expect([response.status, await response.text()]).toEqual([502, '{"title":"Internal server error"}']);
  });

  test('a function that exceeds its timeout gives 502', async () => {
    expect((await answerWith({ never: true })).status).toBe(502);
  });

  test('an integration that takes too long gives 504', async () => {
    const response = await answerWith({ never: true }, '/impatient');
    expect([response.status, await response.json()]).toEqual([504, { title: 'Endpoint request timed out' }]);
  });

  test('a body over 10 MB gives 413, with and without a Content-Length', async () => {
    const body = 'x'.repeat(10 * 1024 * 1024 + 1);
    expect((await fetch(`${host.baseUrl}/things`, { method: 'POST', body })).status).toBe(413);
    const streamed = new Blob([body]).stream();
    const chunked = { method: 'POST', body: streamed, duplex: 'half' } as const;
    expect((await fetch(`${host.baseUrl}/things`, chunked)).status).toBe(413);
  });

  test('an event above the 6 MB of Lambda gives 413, a response above them 502', async () => {
    const body = 'x'.repeat(6 * 1024 * 1024);
    expect((await fetch(`${host.baseUrl}/things`, { method: 'POST', body })).status).toBe(413);
    expect((await answerWith({ big: 6 * 1024 * 1024 + 1 })).status).toBe(502);
  });

  test('a client that disconnects while it sends its body causes no error of the function', async () => {
    const lines = logged.length;
    const socket = connect(Number(new URL(host.baseUrl).port), '127.0.0.1');
    socket.write('POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    socket.end();
    socket.resume();
    await once(socket, 'close');
    expect((await fetch(`${host.baseUrl}/things/1`)).status).toBe(200);
    expect(logged.length).toBe(lines);
  });

  test('headers above 10,240 bytes give 431', async () => {
    const fits = await fetch(`${host.baseUrl}/things/1`, { headers: { 'x-long': 'x'.repeat(9_500) } });
    const tooLong = await fetch(`${host.baseUrl}/things/1`, { headers: { 'x-long': 'x'.repeat(10_240) } });
    expect([fits.status, tooLong.status]).toEqual([200, 431]);
    expect(await tooLong.json()).toEqual({ message: 'Request Header Fields Too Large' });
  });
});

test('a mock integration answers by itself', async () => {
  const response = await fetch(`${host.baseUrl}/things`, { method: 'OPTIONS' });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
});
