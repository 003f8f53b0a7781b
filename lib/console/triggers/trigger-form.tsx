// The form of a trigger, new or existing: which fields it has depends on the kind.
import { type FormEvent, type ReactNode, useState } from 'react';
import buttons from '../parts/button.module.css';
import { CheckedForm } from '../parts/checked-form.tsx';
import { FieldGroup, SelectField, TextField } from '../parts/form.tsx';
import {
  readTriggerForm,
  type Trigger,
  type TriggerKind,
  triggerPointers,
  type UpdateBody,
} from './trigger-body.ts';
import { words } from './words.ts';

interface TriggerFormProps {
  readonly kind: TriggerKind;
  readonly trigger?: Trigger;
  /** What comes before the fields of all triggers. */
  readonly children?: ReactNode;
  readonly submit: string;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSubmit: (body: UpdateBody, form: FormData) => void;
  readonly onCancel: () => void;
}

export function TriggerForm(props: TriggerFormProps) {
  const { kind, trigger, children, submit, isPending, error, onSubmit, onCancel } = props;
  const [mistakes, setMistakes] = useState<ReadonlyMap<string, string>>();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = readTriggerForm(form, kind, trigger);
    setMistakes(body ? undefined : new Map([['user_variables', words.notJson]]));
    if (body) onSubmit(body, form);
  };
  return (
    <CheckedForm
      error={error}
      pointers={triggerPointers}
      own={mistakes}
      onSubmit={send}
      actions={
        <>
          <button type="submit" className={buttons.primary} disabled={isPending}>
            {submit}
          </button>
          <button type="button" className={buttons.button} onClick={onCancel}>
            {words.cancel}
          </button>
        </>
      }
    >
      {children}
      <TextField label={words.flowFilter} name="flowid" value={trigger?.flowid} isRequired />
      <SelectField
        label={words.environment}
        name="environment"
        value={trigger?.environment ?? ''}
        options={[
          ['', kind === 'api' || kind === 'background' ? words.anyEnvironment : words.defaultEnvironment],
          ...environments.map((name) => [name, name] as const),
        ]}
      />
      {kind === 'schedule' && <ScheduleFields schedule={trigger?.schedule} />}
      {kind === 'webhook' && <WebhookFields trigger={trigger} />}
      <FieldGroup title={words.defaults}>
        <TextField label={words.message} name="message" hint={words.messageHint} value={trigger?.message} />
        <TextField
          label={words.variables}
          name="user_variables"
          hint={words.variablesHint}
          value={trigger?.user_variables && JSON.stringify(trigger.user_variables, undefined, 2)}
          isLong
        />
        {kind !== 'api' && (
          <TextField
            label={words.callback}
            name="callback_url"
            type="url"
            hint={words.callbackHint}
            value={trigger?.callback_url}
          />
        )}
      </FieldGroup>
    </CheckedForm>
  );
}

const environments = ['live', 'test', 'dev', 'uat'] as const;
const scheduleKinds = ['cron', 'rate', 'at'] as const;

function ScheduleFields({ schedule }: { schedule: Trigger['schedule'] }) {
  const [when, setWhen] = useState<string>(
    scheduleKinds.find((each) => schedule?.[each] !== undefined) ?? 'cron',
  );
  return (
    <FieldGroup title={words.schedule}>
      <SelectField
        label={words.scheduleKind}
        name="when"
        value={when}
        options={scheduleKinds.map((each) => [each, words.scheduleKinds[each]])}
        onChange={setWhen}
      />
      {when === 'cron' && (
        <TextField label={words.cron} name="cron" hint={words.cronHint} value={schedule?.cron} isRequired />
      )}
      {when === 'rate' && (
        <TextField label={words.rate} name="rate" hint={words.rateHint} value={schedule?.rate} isRequired />
      )}
      {when === 'at' && (
        <TextField label={words.at} name="at" hint={words.atHint} value={schedule?.at} isRequired />
      )}
      <TextField
        label={words.timezone}
        name="timezone"
        hint={words.timezoneHint}
        value={schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
      />
      <SelectField
        label={words.missed}
        name="missed"
        value={schedule?.missed ?? 'skip'}
        options={Object.entries(words.missedKinds)}
      />
    </FieldGroup>
  );
}

function WebhookFields({ trigger }: { trigger: Trigger | undefined }) {
  const { source, deliver, respond } = trigger ?? {};
  const [type, setType] = useState<string>(source?.type ?? 'none');
  const hmac = source?.type === 'hmac' ? source : undefined;
  return (
    <FieldGroup title={words.kinds.webhook}>
      <SelectField
        label={words.source}
        name="source"
        hint={words.sourceHint}
        value={type}
        options={Object.entries(words.sources)}
        onChange={setType}
      />
      {type === 'sns' && (
        <TextField
          label={words.topic}
          name="topic_arn"
          value={source?.type === 'sns' ? source.topic_arn : undefined}
          isRequired
        />
      )}
      {type === 'hmac' && (
        <>
          <TextField label={words.header} name="header" value={hmac?.header} isRequired />
          <SelectField
            label={words.algorithm}
            name="algorithm"
            value={hmac?.algorithm ?? 'sha256'}
            options={['sha256', 'sha512', 'sha1'].map((each) => [each, each])}
          />
          <SelectField
            label={words.encoding}
            name="encoding"
            value={hmac?.encoding ?? 'hex'}
            options={['hex', 'base64'].map((each) => [each, each])}
          />
          <TextField label={words.prefix} name="prefix" value={hmac?.prefix} placeholder="sha256=" />
        </>
      )}
      {type !== 'none' && (
        <TextField
          label={words.events}
          name="events"
          hint={words.eventsHint}
          value={source?.events?.join(' ')}
        />
      )}
      <SelectField
        label={words.respond}
        name="respond"
        value={respond ?? 'accepted'}
        options={Object.entries(words.responds)}
      />
      <TextField label={words.deliverKey} name="deliver_key" hint={words.deliverHint} value={deliver?.key} />
      <TextField label={words.deliverEvent} name="deliver_event" value={deliver?.event} />
    </FieldGroup>
  );
}
