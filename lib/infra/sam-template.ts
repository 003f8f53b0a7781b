// The deployed template, turned into one that `sam local` can run on a laptop. The deployed one stays as it is.
import * as z from 'zod';
import type { Template } from './template.ts';

export interface SamOptions {
  /** Of the machine that runs the containers; emulating another one is slow. */
  readonly architecture: 'arm64' | 'x86_64';
  /** The variables of a running local host, by name: all functions share them. */
  readonly environment: Readonly<Record<string, string>>;
  /** How a container reaches the machine it runs on. */
  readonly host: string;
}

const lambda = z.looseObject({
  Handler: z.string(),
  Environment: z.looseObject({ Variables: z.record(z.string(), z.unknown()) }),
});
const integration = z.looseObject({
  Type: z.string(),
  ResponseTransferMode: z.string().optional(),
  Uri: z.unknown().optional(),
});
const method = z.looseObject({ Integration: integration });

/** `sam local` overrides only variables that a template declares, so these must be in it. */
const endpoints = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_KMS'];
/** It is who we are (issuer of keys, address in cards), not where a container sends requests. */
const unmoved = new Set(['GATEWAY_URL']);

export function samTemplate(deployed: Template, options: SamOptions): Template {
  const streaming = new Set(Object.values(deployed.Resources).flatMap(streamedFunction));
  const resources = Object.entries(deployed.Resources).map(([id, resource]) => {
    if (resource.Type === 'AWS::Lambda::Function') {
      return [id, { ...resource, Properties: runnable(resource.Properties, streaming.has(id), options) }];
    }
    if (resource.Type === 'AWS::ApiGateway::Method')
      return [id, { ...resource, Properties: buffered(resource.Properties) }];
    return [id, resource];
  });
  return { ...deployed, Resources: Object.fromEntries(resources) };
}

function runnable(properties: unknown, streams: boolean, options: SamOptions): Record<string, unknown> {
  const made = lambda.parse(properties);
  const declared = Object.entries(made.Environment.Variables).map(([name, value]) => [
    name,
    options.environment[name] ?? value,
  ]);
  const reached = endpoints.flatMap((name) =>
    name in options.environment ? [[name, options.environment[name]]] : [],
  );
  return {
    ...made,
    Architectures: [options.architecture],
    Handler: streams ? made.Handler.replace(/\.handler$/, '.buffered') : made.Handler,
    Environment: {
      Variables: seenFromContainer(Object.fromEntries([...declared, ...reached]), options.host),
    },
  };
}

function seenFromContainer(variables: Record<string, unknown>, host: string): Record<string, unknown> {
  const moved = Object.entries(variables).map(([name, value]) => [
    name,
    typeof value === 'string' && !unmoved.has(name) ? value.replaceAll('127.0.0.1', host) : value,
  ]);
  return Object.fromEntries(moved);
}

/** `sam local start-api` reads an answer as JSON, which a streamed one is not. */
function buffered(properties: unknown): Record<string, unknown> {
  const { Integration, ...rest } = method.parse(properties);
  const { ResponseTransferMode, Uri, ...others } = Integration;
  if (ResponseTransferMode !== 'STREAM') return { ...rest, Integration };
  const uri = JSON.stringify(Uri)
    .replace('/2021-11-15/functions/', '/2015-03-31/functions/')
    .replace('/response-streaming-invocations', '/invocations');
  return { ...rest, Integration: { ...others, Uri: JSON.parse(uri) } };
}

/** The logical id of the function behind a STREAM method. */
function streamedFunction({ Type, Properties }: Template['Resources'][string]): string[] {
  if (Type !== 'AWS::ApiGateway::Method') return [];
  const { Integration } = method.parse(Properties);
  if (Integration.ResponseTransferMode !== 'STREAM') return [];
  const found = /"Fn::GetAtt":\["([^"]+)","Arn"\]/.exec(JSON.stringify(Integration.Uri))?.[1];
  if (found === undefined)
    throw new Error(`A streamed method names no function: ${JSON.stringify(Integration.Uri)}`);
  return [found];
}
