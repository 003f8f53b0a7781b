// GitHub (https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries). The headers are not
// signed: neither the type of the event nor the id of the delivery.
import {
  isForm,
  isSigned,
  pickHeaders,
  readJson,
  readPayload,
  readText,
  type SourceReader,
} from './sent-request.ts';

const prefix = 'sha256=';

export const github: SourceReader<unknown> = {
  verify: (_, secrets, { headers, text }) => {
    const given = headers['x-hub-signature-256'] ?? '';
    if (!given.startsWith(prefix)) return false;
    const signature = given.slice(prefix.length);
    return isSigned(secrets, { algorithm: 'sha256', encoding: 'hex', text }, [signature]);
  },

  read: (_, sent) => {
    const type = sent.headers['x-github-event'] || 'webhook';
    if (type === 'ping') return { is: 'test' };
    const body = isForm(sent) ? readPayload(sent) : readJson(sent.text);
    const action = readText(body, 'action');
    return {
      is: 'event',
      id: sent.headers['x-github-delivery'],
      type,
      otherTypes: action === undefined ? [] : [`${type}.${action}`],
      headers: pickHeaders(sent, ['x-github-event', 'x-github-delivery', 'x-github-hook-id']),
      body,
    };
  },
};
