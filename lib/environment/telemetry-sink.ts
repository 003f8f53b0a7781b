// Where the finished runs of an environment are exported to, as OpenTelemetry traces.
import * as z from 'zod';
import { declaredName } from '#lib/flow/format/declaration.ts';
import { receiverUrl } from '#lib/receiver-url.ts';

export const telemetrySink = z
  .strictObject({
    endpoint: receiverUrl().meta({
      description:
        'The whole URL that takes OTLP traces over HTTP. https, or http to loopback on a local service.',
      example: 'https://cloud.langfuse.com/api/public/otel/v1/traces',
    }),
    connection: declaredName().optional().meta({
      description:
        'The connection of the workspace (scope `organization`) whose credential the requests carry. Its hosts must include that of the endpoint.',
      example: 'langfuse',
    }),
    encoding: z.enum(['json', 'protobuf']).optional().meta({
      description:
        'The encoding of OTLP that the endpoint takes: `protobuf` for Phoenix, which takes no other. Default: `json`.',
    }),
    content: z.enum(['off', 'full']).optional().meta({
      description:
        '`full`: also prompts, answers, inputs and outputs, as far as `keep_values` keeps them, and messages of errors. Default: `off`.',
    }),
  })
  .meta({ id: 'TelemetrySink' });
export type TelemetrySink = z.infer<typeof telemetrySink>;

const time = z.iso.datetime();

export const sinkState = z
  .strictObject({
    last_exported_at: time.optional().meta({
      description: 'When the endpoint last took a run; noted at most once a minute.',
    }),
    last_error: z
      .strictObject({
        at: time,
        reason: z.string().meta({ description: 'Such as `503`, `timeout` or `connection.missing`.' }),
        detail: z
          .string()
          .optional()
          .meta({ description: 'What the endpoint said of spans that it refused.' }),
      })
      .optional()
      .meta({ description: 'Why the last request that failed did so; it may have been repeated since.' }),
    dropped_runs: z.int().meta({ description: 'Runs that were given up.' }),
    rejected_spans: z.int().meta({ description: 'Spans of other runs that the endpoint refused.' }),
  })
  .meta({
    id: 'TelemetryState',
    description: 'What became of the runs that were sent to this endpoint.',
  });
export type SinkState = z.infer<typeof sinkState>;
