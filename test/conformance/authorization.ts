// Runs the part of the suite for authorization servers, with a client that registers itself and a person who signs in
// at the local identity provider and allows what the client asks for.
import { createServer } from 'node:http';
import { closeServer, listen } from '#lib/local/listen.ts';
import { authorize, connector, newClient } from '#test/support/oauth.ts';
import { newPerson } from '#test/support/person.ts';
import { runAuthorizationSuite, type ScenarioResult } from './suite.ts';

export async function runAuthorization(baseUrl: string): Promise<ScenarioResult[]> {
  process.env.OWN_SERVICE_URL = baseUrl;
  const port = await findPort();
  const [client, { browser }] = await Promise.all([
    newClient({ client_name: 'Conformance suite', redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
    newPerson(),
  ]);
  const args = [
    '--url',
    baseUrl,
    '--client-id',
    client.client_id,
    '--resource',
    connector(),
    '-p',
    `${port}`,
  ];
  return await runAuthorizationSuite(args, async (url) => {
    await browser.fetch((await authorize(browser, url)).href);
  });
}

async function findPort(): Promise<number> {
  const server = createServer();
  const url = await listen(server, 0);
  await closeServer(server);
  return Number(new URL(url).port);
}
