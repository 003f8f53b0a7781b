// Converts the deployed template into one that `sam local` can run. The deployed template does not change.
import * as z from 'zod';
import { type Template, template } from './template.ts';

export interface SamOptions {
  /** The architecture of this machine, since emulating another one is slow. */
  readonly architecture: 'arm64' | 'x86_64';
  /** The variables of a running local host, which all functions share. */
  readonly environment: Readonly<Record<string, string>>;
  /** The host name by which a container reaches this machine. */
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
const alias = z.looseObject({ FunctionName: z.strictObject({ Ref: z.string() }) });

/**
 * The addresses of the engines. `sam local` only overrides variables that the template declares, so it must contain
 * these.
 */
const endpoint = /^AWS_ENDPOINT_URL_/;
/** The identity of the service (issuer of keys, URLs in cards); containers do not send requests to it. */
const unchanged = new Set(['GATEWAY_URL']);

export function samTemplate(gradual: Template, options: SamOptions): Template {
  const deployed = withoutAliases(gradual);
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

/** SAM knows no aliases: what leads to one leads to its function. */
function withoutAliases(made: Template): Template {
  const aliases = Object.entries(made.Resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Alias');
  const text = aliases.reduce((replaced, [id, { Properties }]) => {
    const { FunctionName } = alias.parse(Properties);
    return replaced.replaceAll(
      JSON.stringify({ Ref: id }),
      JSON.stringify({ 'Fn::GetAtt': [FunctionName.Ref, 'Arn'] }),
    );
  }, JSON.stringify(made));
  return template.parse(JSON.parse(text));
}

function runnable(properties: unknown, streams: boolean, options: SamOptions): Record<string, unknown> {
  const made = lambda.parse(properties);
  const declared = Object.entries(made.Environment.Variables).map(([name, value]) => [
    name,
    options.environment[name] ?? value,
  ]);
  const reached = Object.entries(options.environment).filter(([name]) => endpoint.test(name));
  return {
    ...made,
    Architectures: [options.architecture],
    Handler: streams ? made.Handler.replace(/\.handler$/, '.buffered') : made.Handler,
    Environment: {
      Variables: replaceLoopback(Object.fromEntries([...declared, ...reached]), options.host),
    },
  };
}

function replaceLoopback(variables: Record<string, unknown>, host: string): Record<string, unknown> {
  const replaced = Object.entries(variables).map(([name, value]) => [
    name,
    typeof value === 'string' && !unchanged.has(name) ? value.replaceAll('127.0.0.1', host) : value,
  ]);
  return Object.fromEntries(replaced);
}

/** `sam local start-api` parses responses as JSON, which streamed ones are not. */
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
