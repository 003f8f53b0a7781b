// The response of API Gateway to preflight requests of browsers (the Fetch standard, CORS). No function is
// called.
import { type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';
import { allowedHeaders } from '#lib/http/cors.ts';

/** `origins` are those whose pages may call the path. */
export function answerPreflights(
  resource: IResource,
  methods: readonly string[],
  origins: '*' | readonly string[],
): void {
  const fixed = headersFor(methods, origins);
  const responseParameters = mapNames(fixed, (value) => `'${value}'`);
  resource.addMethod('OPTIONS', mock(responseParameters, origins), {
    methodResponses: [
      { statusCode, responseParameters: mapNames({ ...fixed, [allowOrigin]: '' }, () => true) },
    ],
  });
}

const statusCode = '204';
const allowOrigin = 'Access-Control-Allow-Origin';

const headersFor = (methods: readonly string[], origins: '*' | readonly string[]) => ({
  ...(origins === '*' ? { [allowOrigin]: origins } : { Vary: 'Origin' }),
  'Access-Control-Allow-Methods': [...methods].sort().join(', '),
  'Access-Control-Allow-Headers': allowedHeaders.join(', '),
  // Two hours, the longest time for which Chrome remembers the answer.
  'Access-Control-Max-Age': '7200',
});

const mapNames = <T>(headers: Readonly<Record<string, string>>, map: (value: string) => T) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, map(value)]),
  );

/** A mock takes its status from the request template; a preflight request has no content type. */
const mock = (responseParameters: Record<string, string>, origins: '*' | readonly string[]) =>
  new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': `{"statusCode": ${statusCode}}` },
    integrationResponses: [
      {
        statusCode,
        responseParameters,
        responseTemplates: { 'application/json': origins === '*' ? '' : allowListed(origins) },
      },
    ],
  });

/** The origin of the request, if it is listed. A header can be in lower case, as HTTP/2 has it. */
const allowListed = (origins: readonly string[]): string =>
  [
    '#set($origin = $input.params().header.get("Origin"))',
    '#if(!$origin || $origin == "")#set($origin = $input.params().header.get("origin"))#end',
    `#if(${origins.map((origin) => `$origin == "${origin}"`).join(' || ')})`,
    `#set($context.responseOverride.header.${allowOrigin} = $origin)`,
    '#end',
  ].join('');
