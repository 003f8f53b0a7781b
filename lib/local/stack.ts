// Reads the template into the types of the local host: tables, queues, keys, functions, their event sources,
// and outputs. `api.ts` reads the REST API.
import * as z from 'zod';
import type { AsyncSettings } from './async-invocations.ts';
import { type Schedule, scheduleResource } from './clock.ts';
import { tableResource } from './dynamodb.ts';
import type { EventSource } from './event-sources.ts';
import { keyResource } from './kms.ts';
import type { FunctionSpec } from './lambda.ts';
import { type LogSubscription, parseFilterPattern } from './log-subscriptions.ts';
import { bucketResource } from './s3-objects.ts';
import { queueResource } from './sqs.ts';
import { type ReadTemplate, type Resolve, resourcesOfType } from './template.ts';

export type Stack = ReturnType<typeof readStack>;

const functionResource = z.object({
  Timeout: z.coerce.number().default(3),
  MemorySize: z.coerce.number().default(128),
  Environment: z
    .object({ Variables: z.record(z.string(), z.coerce.string()).default({}) })
    .default({ Variables: {} }),
  LoggingConfig: z.object({ LogGroup: z.string().optional() }).default({}),
});

const aliasResource = z.object({ AliasName: z.string(), TargetKeyId: z.string() });

const mappingResource = z.object({
  EventSourceArn: z.string().startsWith('arn:aws:sqs:', 'only SQS event sources are supported'),
  FunctionName: z.string(),
  BatchSize: z.coerce.number().int().default(10),
  Enabled: z.boolean().default(true),
  FilterCriteria: z.undefined('filter criteria are not supported').optional(),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.coerce.number() }).optional(),
});

const subscriptionResource = z.object({
  FilterName: z.string().optional(),
  LogGroupName: z.string(),
  FilterPattern: z.string(),
  DestinationArn: z.string().startsWith('arn:aws:lambda:', 'only functions can be destinations'),
});

const invokeConfigResource = z.object({
  FunctionName: z.string(),
  MaximumRetryAttempts: z.coerce.number().int().default(2),
  DestinationConfig: z
    .object({
      OnSuccess: z.undefined('success destinations are not supported').optional(),
      OnFailure: z
        .object({ Destination: z.string().startsWith('arn:aws:sqs:', 'only queues can be destinations') })
        .optional(),
    })
    .default({}),
});

export function readStack(template: ReadTemplate, resolve: Resolve) {
  const all = <Shape extends z.ZodRawShape>(types: string | readonly string[], schema: z.ZodObject<Shape>) =>
    resourcesOfType(template, [types].flat(), schema, resolve);
  const ref = (logicalId: string) => String(resolve({ Ref: logicalId }, logicalId));
  const attribute = (logicalId: string, name: string) =>
    String(resolve({ 'Fn::GetAtt': [logicalId, name] }, logicalId));
  const functions = all('AWS::Lambda::Function', functionResource).map(([logicalId, properties]) => ({
    ...functionSpec(logicalId, ref(logicalId), properties, template),
    environment: properties.Environment.Variables,
    arn: attribute(logicalId, 'Arn'),
  }));
  return {
    tables: all(['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'], tableResource).map(
      ([logicalId, table]) => ({
        logicalId,
        ...table,
        name: ref(logicalId),
      }),
    ),
    queues: all('AWS::SQS::Queue', queueResource).map(([logicalId, queue]) => ({
      logicalId,
      queue,
      name: attribute(logicalId, 'QueueName'),
      url: ref(logicalId),
      arn: attribute(logicalId, 'Arn'),
    })),
    keys: all('AWS::KMS::Key', keyResource).map(([logicalId, key]) => ({
      logicalId,
      key,
      id: ref(logicalId),
      arn: attribute(logicalId, 'Arn'),
    })),
    buckets: all('AWS::S3::Bucket', bucketResource).map(([logicalId, bucket]) => ({
      bucket,
      name: ref(logicalId),
    })),
    aliases: all('AWS::KMS::Alias', aliasResource).map(([, alias]) => alias),
    functions,
    eventSources: all('AWS::Lambda::EventSourceMapping', mappingResource)
      .filter(([, mapping]) => mapping.Enabled)
      .map(([logicalId, mapping]) => eventSource(logicalId, mapping, functions)),
    logSubscriptions: all('AWS::Logs::SubscriptionFilter', subscriptionResource).map(([logicalId, filter]) =>
      logSubscription(logicalId, filter, functions),
    ),
    asyncSettings: all('AWS::Lambda::EventInvokeConfig', invokeConfigResource).map(([logicalId, config]) =>
      asyncSettings(logicalId, config, functions),
    ),
    schedules: all('AWS::Scheduler::Schedule', scheduleResource)
      .filter(([, { State }]) => State === 'ENABLED')
      .map(([logicalId, made]) => schedule(logicalId, made, functions)),
    outputs: outputs(template, resolve),
  };
}

function functionSpec(
  logicalId: string,
  name: string,
  properties: z.output<typeof functionResource>,
  template: ReadTemplate,
): FunctionSpec {
  const { 'agentflow:entry': entry, SamResourceId: id } = template.Resources[logicalId]?.Metadata ?? {};
  return {
    logicalId,
    id: typeof id === 'string' ? id : undefined,
    name,
    entry: typeof entry === 'string' ? entry : undefined,
    timeoutSeconds: properties.Timeout,
    memoryMegabytes: properties.MemorySize,
    logGroup: properties.LoggingConfig.LogGroup ?? `/aws/lambda/${name}`,
  };
}

function eventSource(
  logicalId: string,
  mapping: z.output<typeof mappingResource>,
  functions: readonly Named[],
): EventSource {
  return {
    queueName: mapping.EventSourceArn.split(':').at(-1) ?? '',
    queueArn: mapping.EventSourceArn,
    functionName: findFunctionName(logicalId, mapping.FunctionName, functions),
    batchSize: mapping.BatchSize,
    reportsItemFailures: mapping.FunctionResponseTypes.length > 0,
    concurrencyMax: mapping.ScalingConfig?.MaximumConcurrency,
  };
}

const logSubscription = (
  logicalId: string,
  filter: z.output<typeof subscriptionResource>,
  functions: readonly Named[],
): LogSubscription => ({
  filterName: filter.FilterName ?? logicalId,
  logGroup: filter.LogGroupName,
  matches: parseFilterPattern(filter.FilterPattern),
  functionName: findFunctionName(logicalId, filter.DestinationArn, functions),
});

const asyncSettings = (
  logicalId: string,
  config: z.output<typeof invokeConfigResource>,
  functions: readonly Named[],
): AsyncSettings => ({
  functionName: findFunctionName(logicalId, config.FunctionName, functions),
  retriesMax: config.MaximumRetryAttempts,
  failureQueueName: config.DestinationConfig.OnFailure?.Destination.split(':').at(-1),
});

const schedule = (
  logicalId: string,
  { ScheduleExpression, Target }: z.output<typeof scheduleResource>,
  functions: readonly Named[],
): Schedule => ({
  functionName: findFunctionName(logicalId, Target.Arn, functions),
  everyMillis: ScheduleExpression,
  input: Target.Input,
});

type Named = { readonly name: string; readonly arn: string };

/** Resources name a function by its name or by its ARN. */
function findFunctionName(logicalId: string, given: string, functions: readonly Named[]): string {
  const found = functions.find(({ name, arn }) => name === given || arn === given);
  if (!found) throw new Error(`${logicalId}: the template has no function "${given}".`);
  return found.name;
}

function outputs(template: ReadTemplate, resolve: Resolve): Record<string, string> {
  const entries = Object.entries(template.Outputs);
  return Object.fromEntries(
    entries.map(([name, { Value }]) => [name, String(resolve(Value, `Outputs.${name}.Value`))]),
  );
}
