// What the API needs of a trigger, from a form or from the trigger itself. Pure.

import type { CallInput, CallOutput } from '../api/client.ts';
import type { FieldPointers } from '../parts/field-errors.ts';
import { readJsonObject } from '../parts/json-object.ts';
import { words } from './words.ts';

export type Trigger = CallOutput<'getTrigger'>;
export type TriggerKind = Trigger['kind'];
export type UpdateBody = CallInput<'updateTrigger'>['body'];
type Source = NonNullable<UpdateBody['source']>;

/** Callers choose the environment; the clock and events do not. */
export const environmentLabel = ({ kind, environment }: Pick<Trigger, 'kind' | 'environment'>): string =>
  environment ?? (kind === 'api' || kind === 'background' ? words.anyEnvironment : words.defaultEnvironment);

/** All that a replacement must repeat. */
export function toUpdateBody(trigger: Trigger): UpdateBody {
  const { flowid, environment, message, user_variables, enabled, callback_url } = trigger;
  const { schedule, source, deliver, respond } = trigger;
  return {
    flowid,
    environment,
    message,
    user_variables: user_variables as UpdateBody['user_variables'],
    enabled,
    callback_url,
    schedule,
    source,
    deliver,
    respond,
  };
}

/** Which members of the request the fields of the form set. */
export const triggerPointers: FieldPointers = {
  trigger_id: '/body/trigger_id',
  kind: '/body/kind',
  flowid: '/body/flowid',
  environment: '/body/environment',
  message: '/body/message',
  user_variables: '/body/user_variables',
  callback_url: '/body/callback_url',
  cron: '/body/schedule/cron',
  rate: '/body/schedule/rate',
  at: '/body/schedule/at',
  timezone: '/body/schedule/timezone',
  missed: '/body/schedule/missed',
  source: '/body/source',
  header: '/body/source/header',
  algorithm: '/body/source/algorithm',
  encoding: '/body/source/encoding',
  prefix: '/body/source/prefix',
  topic_arn: '/body/source/topic_arn',
  events: '/body/source/events',
  respond: '/body/respond',
  deliver_key: '/body/deliver/key',
  deliver_event: '/body/deliver/event',
};

/** Undefined if the variables are not a JSON object. What the form does not show stays as it was in `before`. */
export function readTriggerForm(form: FormData, kind: TriggerKind, before?: Trigger): UpdateBody | undefined {
  const text = (name: string) => String(form.get(name) ?? '').trim() || undefined;
  const user_variables = readVariables(text('user_variables'));
  if (user_variables === 'mistaken') return undefined;
  return {
    flowid: text('flowid') ?? '',
    environment: text('environment'),
    message: text('message'),
    user_variables,
    enabled: before?.enabled,
    callback_url: text('callback_url'),
    ...(kind === 'schedule' && { schedule: readSchedule(text) }),
    ...(kind === 'webhook' && {
      source: readSource(text, before?.source),
      deliver: text('deliver_key')
        ? { key: text('deliver_key') ?? '', event: text('deliver_event') }
        : undefined,
      respond: text('respond') === 'result' ? 'result' : undefined,
    }),
  };
}

type Text = (name: string) => string | undefined;

function readVariables(text: string | undefined): UpdateBody['user_variables'] | 'mistaken' {
  return text === undefined ? undefined : (readJsonObject(text) ?? 'mistaken');
}

const readSchedule = (text: Text): UpdateBody['schedule'] => ({
  cron: text('cron'),
  rate: text('rate'),
  at: text('at'),
  timezone: text('timezone'),
  missed: text('missed') === 'run_once' ? 'run_once' : 'skip',
});

/** The service checks it; members that the form lacks are those of the source so far. */
function readSource(text: Text, before: Trigger['source']): Source | undefined {
  const type = text('source');
  if (type === undefined || type === 'none') return undefined;
  const events = text('events')?.split(/\s+/);
  const own = {
    header: text('header'),
    algorithm: text('algorithm'),
    encoding: text('encoding'),
    prefix: text('prefix'),
    topic_arn: text('topic_arn'),
  };
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return { ...(before?.type === type && before), ...given, type, events } as Source;
}
