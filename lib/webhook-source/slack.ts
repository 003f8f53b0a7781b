// Slack (https://docs.slack.dev/authentication/verifying-requests-from-slack): events, slash commands and
// interactivity. The challenge of `url_verification` is returned only for a request that is verified, since an
// address that answers anybody's challenge can be registered by anybody.
import {
  isForm,
  isRecent,
  isSigned,
  type Reading,
  readForm,
  readJson,
  readPayload,
  readText,
  type SentRequest,
  type SourceReader,
} from './sent-request.ts';

/** As Slack recommends. */
const toleranceSeconds = 300;
const prefix = 'v0=';
const challengeMax = 1_000;

export const slack: SourceReader<unknown> = {
  verify: (_, secrets, { headers, text: body, nowMs }) => {
    const given = headers['x-slack-signature'] ?? '';
    const timestamp = headers['x-slack-request-timestamp'] ?? '';
    if (!given.startsWith(prefix) || !isRecent(timestamp, toleranceSeconds, nowMs)) return false;
    const text = `v0:${timestamp}:${body}`;
    return isSigned(secrets, { algorithm: 'sha256', encoding: 'hex', text }, [given.slice(prefix.length)]);
  },

  read: (_, sent) => (isForm(sent) ? readFormRequest(sent) : readEvent(sent)),
};

/** A retry has the `event_id` of the first attempt. */
function readEvent(sent: SentRequest): Reading {
  const body = readJson(sent.text);
  const type = readText(body, 'type') ?? 'webhook';
  if (type === 'url_verification')
    return { is: 'challenge', text: (readText(body, 'challenge') ?? '').slice(0, challengeMax) };
  const inner = readText(body, 'event.type');
  return {
    is: 'event',
    id: readText(body, 'event_id'),
    type: inner ?? type,
    otherTypes: [type],
    headers: {},
    body,
  };
}

/** A slash command, or an interaction, which is JSON in a field. Both have a `trigger_id`, so no two are equal. */
function readFormRequest(sent: SentRequest): Reading {
  const form = readForm(sent);
  if (form.ssl_check !== undefined) return { is: 'test' };
  if (form.payload === undefined) {
    const command = readText(form, 'command');
    const otherTypes = command === undefined ? [] : [command];
    return { is: 'event', id: undefined, type: 'slash_command', otherTypes, headers: {}, body: form };
  }
  const body = readPayload(sent);
  return { is: 'event', id: undefined, type: readText(body, 'type') ?? 'interaction', headers: {}, body };
}
