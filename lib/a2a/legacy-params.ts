// The schemas of what A2A 0.3 clients send, as far as the SDK relies on it when it translates to 1.0. The schemas of 1.0
// then check the rest.
import * as z from 'zod';

const file = z.union([z.looseObject({ bytes: z.string() }), z.looseObject({ uri: z.string() })], {
  error: 'must have bytes or a uri',
});
const part = z.discriminatedUnion(
  'kind',
  [
    z.looseObject({ kind: z.literal('text'), text: z.string() }),
    z.looseObject({ kind: z.literal('file'), file }),
    z.looseObject({ kind: z.literal('data'), data: z.looseObject({}) }),
  ],
  { error: 'must have the kind "text", "file" or "data"' },
);

const list = z.array(z.string()).max(50).optional();
const metadata = z.looseObject({}).optional();

const sendMessage = z.looseObject({
  message: z.looseObject({
    messageId: z.string().min(1),
    role: z.literal('user'),
    parts: z.array(z.unknown()).min(1).max(100).pipe(z.array(part)),
    extensions: list,
    referenceTaskIds: list,
    metadata,
  }),
  configuration: z
    .looseObject({
      acceptedOutputModes: list,
      // The SDK takes its absence for `false`, the servers of 0.3 for `true`.
      blocking: z.boolean().default(true),
      historyLength: z.number().optional(),
      pushNotificationConfig: z
        .looseObject({
          url: z.string(),
          authentication: z.looseObject({ schemes: z.array(z.string()) }).optional(),
        })
        .optional(),
    })
    .optional(),
  metadata,
});

const setPushConfig = z.looseObject({
  taskId: z.string(),
  pushNotificationConfig: z.looseObject({
    url: z.string(),
    authentication: z.looseObject({ schemes: z.array(z.string()) }).optional(),
  }),
});

const schemas: Readonly<Record<string, z.ZodType>> = {
  'message/send': sendMessage,
  'message/stream': sendMessage,
  'tasks/pushNotificationConfig/set': setPushConfig,
};
const others = z.looseObject({ id: z.string().optional(), metadata });

export const legacyParams = (method: string): z.ZodType =>
  Object.hasOwn(schemas, method) ? (schemas[method] ?? others) : others;
