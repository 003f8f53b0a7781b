// docs/api-guide.md as a reader uses it: its commands are run by a shell, in order, and answered as it says.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { testedService } from '#test/support/tested-service.ts';

const run = promisify(execFile);
/** Its names are new each time, since the short URL of a flow belongs to the first organisation of a tenant that has it. */
const guide = readFileSync(new URL('../../docs/api-guide.md', import.meta.url), 'utf8').replaceAll(
  'guide-',
  `${unique('guide')}-`,
);
const examples = [...guide.matchAll(/```sh\n([\s\S]+?)```\s+```http\n([\s\S]+?)```/g)].map(
  ([, command = '', answer = '']) => ({ command, answer }),
);

/** Status, and headers by their name in lower case. */
function parseHead(text: string) {
  const [statusLine = '', ...lines] =
    text
      .split(/\r?\n\r?\n/)[0]
      ?.trim()
      .split(/\r?\n/) ?? [];
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(': ');
    return [name.toLowerCase(), value.join(': ')] as const;
  });
  return { status: statusLine.split(' ')[1], headers: Object.fromEntries(headers) };
}

/** Where the guide shows one of many possible values, any of the same form will do. */
const maskGenerated = (value = '') =>
  value
    .replace(/reg_\w{26}/, 'reg_…')
    .replace(/^"[\w-]{22}"$/, '"digest"')
    .replace(/^"(\d+)-[a-z0-9]{8}"$/, '"$1-time"');

test('the guide shows an answer to each of its commands', () => {
  expect(guide.match(/^curl /gm)).toHaveLength(examples.length);
  expect(examples.length).toBeGreaterThan(8);
});

test('the commands of the guide, run in order, get the answers that it shows', async () => {
  const { key, workspaceid } = await newCaller();
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    BASE_URL: testedService().baseUrl,
    API_KEY: key,
    WORKSPACE: workspaceid,
  };
  for (const { command, answer } of examples) {
    const { stdout } = await run('sh', ['-ec', command.replace('curl -i', 'curl -sS -i')], { env });
    const [expected, given] = [parseHead(answer), parseHead(stdout)];
    expect(given.status, `${command}\n${stdout}`).toBe(expected.status);
    for (const [name, value] of Object.entries(expected.headers))
      expect(maskGenerated(given.headers[name]), `${name} of ${command}`).toBe(maskGenerated(value));
    env.ETAG = given.headers.etag ?? env.ETAG ?? '';
    env.ID ??= given.headers.location?.split('/').at(-1) ?? '';
  }
});
