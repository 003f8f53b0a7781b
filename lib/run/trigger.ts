// What a trigger takes, and how it may refuse.
import * as z from 'zod';
import { isObject } from '#lib/flow/format/json-value.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { fileId } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import { type Json, type JsonObject, json, jsonObject } from '#lib/json/json.ts';
import { jsonBytes, tooLarge } from '#lib/json/size.ts';
import { callbackUrl } from './callback-url.ts';

/** Sent by callers, with defaults in declared triggers. `what` is the description. */
export const messageText = (what: string) =>
  z
    .string()
    .refine((text) => jsonBytes(text) <= limits.messageBytes, tooLarge(limits.messageBytes))
    .meta({ description: `${what} ${limits.messageBytes} bytes of JSON at most.` });
export const userVariables = (what: string) =>
  jsonObject
    .refine(
      (variables) => jsonBytes(variables) <= limits.userVariablesBytes,
      tooLarge(limits.userVariablesBytes),
    )
    .meta({ description: `${what} ${limits.userVariablesBytes} bytes of JSON at most.` });

export const triggerBody = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      message: messageText(
        'First message to the flow. If it is left out or empty, that of a declared trigger counts.',
      ).default(''),
      user_variables: userVariables(
        'Variables that the flow sees as `input.user_variables`, over those of a declared trigger.',
      ).optional(),
      files: z
        .array(fileId)
        .max(limits.filesMax)
        .optional()
        .meta({
          description: `Files of the workspace, by their ids, which the flow sees as \`input.files\`; ${limits.filesMax} at most.`,
        }),
    })
    .meta({ id: 'TriggerRequest' }),
);

export type TriggerBody = z.infer<typeof triggerBody>;

/** The body that starts a background run. */
export const startBody = /* @__PURE__ */ z.lazy(() =>
  built(triggerBody).extend({ callback_url: callbackUrl.optional() }).meta({ id: 'StartRequest' }),
);
export type StartBody = z.infer<typeof startBody>;

const namedEvent = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      event: z.string().min(1).max(256).meta({ description: 'Name of the event.', example: 'ticket.closed' }),
      data: jsonObject.exactOptional().meta({ description: 'Content of the event, free in form.' }),
    })
    .meta({ id: 'NamedEvent', description: 'An event with a name.' }),
);

/** Whether nothing but a named event can be meant. */
export const isNamedEvent = (body: Json): body is JsonObject =>
  isObject(body) && Object.keys(body).every((name) => Object.hasOwn(built(namedEvent).shape, name));

export const webhookBody = /* @__PURE__ */ z.lazy(() =>
  z
    .union([
      namedEvent,
      json
        // `abort`: what a named event lacks is listed in its place.
        .refine((body) => !isNamedEvent(body), { abort: true })
        .meta({
          description:
            'Any other JSON, as another system sends it: an object with other members, a list, a text, a number.',
        }),
    ])
    .meta({
      id: 'WebhookRequest',
      description:
        'What the flow gets as `input.event`. A body that has no members beside `event` and `data` must be a `NamedEvent`.',
    }),
);
export type WebhookBody = z.infer<typeof webhookBody>;

/** The errors of routes that call `resolveTrigger`. */
export const resolveErrors = [
  'trigger_not_found',
  'trigger_disabled',
  'trigger_kind_mismatch',
  'pinned_build_gone',
  'budget_exhausted',
] as const;
