// The examples that the vendors publish of their signatures, byte for byte, and what each part of one protects.
import { describe, expect, test } from 'vitest';
import { secret } from '#lib/secret.ts';
import type { SentRequest } from '#lib/webhook-source/sent-request.ts';
import type { WebhookSource } from '#lib/webhook-source/source.ts';
import { readRequest, verifyRequest } from '#lib/webhook-source/source-table.ts';

interface Example {
  readonly source: WebhookSource;
  readonly secret: string;
  readonly sent: SentRequest;
  /** The header that has the signature. */
  readonly signature: string;
}

const any = {
  nowMs: 0,
  sourceIp: '203.0.113.7',
  url: 'https://agents.example.com/public/webhooks/q3HkXJ0cYb6f1mP9sWt2Zw',
};
const twilioUrl = 'https://mycompany.com/myapp.php?foo=1&bar=2';

const examples: Readonly<Record<string, Example>> = {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    source: { type: 'github' },
    secret: "It's a Secret to Everybody",
    sent: {
      text: 'Hello, World!',
      ...any,
      headers: {
        'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
    },
    signature: 'x-hub-signature-256',
  },
  // The same request, by the generic source.
  'hmac, with the form of GitHub': {
    source: {
      type: 'hmac',
      header: 'X-Hub-Signature-256',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: 'sha256=',
      tolerance_seconds: 300,
      signed: '{body}',
    },
    secret: "It's a Secret to Everybody",
    sent: {
      text: 'Hello, World!',
      ...any,
      headers: {
        'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
    },
    signature: 'x-hub-signature-256',
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    source: { type: 'slack' },
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    sent: {
      text:
        'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
        '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
        '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
        '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      ...any,
      nowMs: 1_531_420_618_000,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': '1531420618',
        'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      },
    },
    signature: 'x-slack-signature',
  },
  // https://www.twilio.com/docs/usage/security, and the tests of twilio-node
  twilio: {
    source: { type: 'twilio', url: twilioUrl },
    secret: '12345',
    sent: {
      ...any,
      text: 'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
      },
    },
    signature: 'x-twilio-signature',
  },
  'twilio, a JSON body': {
    source: { type: 'twilio', url: twilioUrl },
    secret: '12345',
    sent: {
      ...any,
      text: '{"property": "value", "boolean": true}',
      bodyHash: '0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620',
      headers: {
        'content-type': 'application/json',
        'x-twilio-signature': 'a9nBmqA0ju/hNViExpshrM61xv4=',
      },
    },
    signature: 'x-twilio-signature',
  },
};

describe.each(Object.entries(examples))('%s', (_name, example) => {
  const { source, sent, signature } = example;
  const verify = (some: Partial<SentRequest> = {}, key = example.secret) =>
    verifyRequest(source, [secret(key)], { ...sent, ...some });
  const withSignature = (value: string) => verify({ headers: { ...sent.headers, [signature]: value } });
  const given = sent.headers[signature] ?? '';

  test('the published signature is accepted, beside other secrets too', async () => {
    expect(await verify()).toBe(true);
    const others = ['another', example.secret, 'a third'].map(secret);
    expect(await verifyRequest(source, others, sent)).toBe(true);
  });

  test('another body, secret or signature is refused', async () => {
    expect(await verify({ text: `${sent.text} ` })).toBe(false);
    expect(await verify({}, `${example.secret} `)).toBe(false);
    expect(await verifyRequest(source, [], sent)).toBe(false);
    expect(await verify({ headers: {} })).toBe(false);
    const changed = given.endsWith('3') ? `${given.slice(0, -1)}4` : `${given.slice(0, -1)}3`;
    for (const value of ['', changed, given.slice(0, -1), `${given}0`, `${given} `, `${given}, ${given}`])
      expect(await withSignature(value), value).toBe(false);
  });
});

test('Slack: its example is old after five minutes, and so is one from the future', async () => {
  const { slack } = examples;
  if (!slack) throw new Error('The example is missing.');
  const verifyAt = (skewSeconds: number) =>
    verifyRequest(slack.source, [secret(slack.secret)], {
      ...slack.sent,
      nowMs: slack.sent.nowMs + skewSeconds * 1_000,
    });
  expect(await Promise.all([-301, -300, 300, 301].map(verifyAt))).toEqual([false, true, true, false]);
});

test('Slack: its example is a slash command', async () => {
  const { slack } = examples;
  expect(slack && (await readRequest(slack.source, slack.sent))).toMatchObject({
    is: 'event',
    type: 'slash_command',
    otherTypes: ['/webhook-collect'],
    body: { command: '/webhook-collect', text: '', user_name: 'roadrunner' },
  });
});

test('Twilio: another URL, other fields and another order of them', async () => {
  const { twilio } = examples;
  if (!twilio) throw new Error('The example is missing.');
  const { sent, source } = twilio;
  const verify = (some: Partial<SentRequest>, own = source) =>
    verifyRequest(own, [secret(twilio.secret)], { ...sent, ...some });
  expect(await verify({ url: twilioUrl }, { type: 'twilio' })).toBe(true);
  expect(await verify({}, { type: 'twilio' })).toBe(false);
  expect(await verify({ text: sent.text.split('&').reverse().join('&') })).toBe(true);
  expect(await verify({ text: `${sent.text}&To=%2B18005551212` })).toBe(true);
  expect(await verify({ text: `${sent.text}&Extra=1` })).toBe(false);
  expect(await verify({ text: sent.text.replace('1234', '1235') })).toBe(false);
  expect(await readRequest(source, sent)).toMatchObject({ type: 'call.received', otherTypes: ['call'] });
});

test('CloudEvents: the example of Standard Webhooks, which is old after five minutes', async () => {
  const source: WebhookSource = { type: 'cloudevents', credential: 'standard' };
  // The test vector of https://github.com/standard-webhooks/standard-webhooks
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const sent = { ...any, text: '{"test": 2432232314}', headers, nowMs: 1_614_265_330_000 };
  const key = secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const verify = (some: Partial<SentRequest> = {}) => verifyRequest(source, [key], { ...sent, ...some });
  expect(await verify()).toBe(true);
  expect(await verify({ text: '{"test":2432232314}' })).toBe(false);
  expect(await verify({ headers: { ...headers, 'webhook-id': 'msg_other' } })).toBe(false);
  expect(await verify({ headers: { ...headers, 'webhook-timestamp': '1614265331' } })).toBe(false);
  expect(await verify({ nowMs: sent.nowMs + 301_000 })).toBe(false);
  expect(await verify({ nowMs: sent.nowMs - 301_000 })).toBe(false);
});
