// The response of API Gateway to a method that a path does not have: 405 with `Allow` (RFC 9110, section
// 15.5.6). Without an ANY method it would be 403 "Missing Authentication Token", as for a path that does not
// exist.
import { type IResource, MockIntegration, PassthroughBehavior } from 'aws-cdk-lib/aws-apigateway';
import { errorTable } from '#lib/errors.ts';
import { errorForms } from '#lib/http/error-forms.ts';
import { allowNamesMethods } from '#lib/http/problem.ts';
import type { Route } from '#lib/http/route.ts';

/** `allowed` are the methods of the path. No function is called. */
export function refuseOtherMethods(
  resource: IResource,
  allowed: readonly string[],
  errorForm: Route['errorForm'],
): void {
  const answer = errorForm ? errorForms[errorForm](problem) : problemDetails;
  resource.addMethod('ANY', mock([...allowed].sort().join(', '), answer), {
    methodResponses: [
      {
        statusCode,
        responseParameters: Object.fromEntries(headerNames.map((name) => [`${prefix}${name}`, true])),
      },
    ],
  });
}

const statusCode = '405';
const prefix = 'method.response.header.';
const headerNames = [
  'Access-Control-Allow-Origin',
  'Allow',
  'Cache-Control',
  'Content-Type',
  'X-Content-Type-Options',
  'X-Request-Id',
] as const;

/** Quoted values are literals; `context.requestId` is a reference. */
const headersFor = (
  allow: string,
  contentType: string,
): Readonly<Record<(typeof headerNames)[number], string>> => ({
  Allow: `'${allow}'`,
  'Access-Control-Allow-Origin': "'*'",
  'Cache-Control': "'no-store'",
  'Content-Type': `'${contentType}'`,
  'X-Content-Type-Options': "'nosniff'",
  'X-Request-Id': 'context.requestId',
});

/** A mock takes its status from the template for the request's content type. Any other type gets 415. */
const contentTypes = [
  'application/json',
  'application/a2a+json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/html',
  'text/plain',
  'text/xml',
] as const;

const mock = (allow: string, { contentType, body }: typeof problemDetails): MockIntegration =>
  new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(contentTypes.map((type) => [type, `{"statusCode": ${statusCode}}`])),
    integrationResponses: [
      {
        statusCode,
        responseParameters: Object.fromEntries(
          Object.entries(headersFor(allow, contentType)).map(([name, value]) => [`${prefix}${name}`, value]),
        ),
        responseTemplates: { 'application/json': body },
      },
    ],
  });

const problem = {
  type: 'urn:agent-flow:error:method_not_allowed',
  title: errorTable.method_not_allowed.title,
  status: Number(statusCode),
  detail: allowNamesMethods,
  instance: '$context.requestId',
  code: 'method_not_allowed',
};

const problemDetails = { contentType: 'application/problem+json', body: JSON.stringify(problem) };
