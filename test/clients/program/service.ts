// The service as `npm start` runs it, in a home of its own, with an agent for each client: it looks up an order with the
// access of the user, and asks a question before it ends.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { readAddresses, readReady, resolveHome } from '#lib/local/home.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { sender } from '#lib/local/send.ts';
import { loopbackCertificate, loopbackKey } from '#test/support/loopback-certificate.ts';
import { watchProcess } from '#test/support/watched-process.ts';

export interface TestedService {
  readonly baseUrl: string;
  readonly connectorUrl: string;
  /** The address of a client id metadata document. */
  readonly clientDocumentUrl: string;
  /** For files of clients; removed at the end. */
  readonly folder: string;
  /** The registry id of a new agent. Its connection is nobody's yet. */
  readonly newAgent: () => Promise<string>;
  readonly close: () => Promise<void>;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Nobody listens there: codes are read off the address. */
export const redirectUrl = 'http://127.0.0.1:33418/callback';

export async function startTestedService(): Promise<TestedService> {
  const closing = new AsyncDisposableStack();
  try {
    return await startAll(closing);
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

async function startAll(closing: AsyncDisposableStack): Promise<TestedService> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-flow-clients-'));
  closing.defer(async () => await rm(folder, { recursive: true, force: true }));
  const documents = await serveClientDocument(folder);
  closing.defer(documents.close);
  const { ready, newAgent } = await start(folder, documents, closing);
  const { baseUrl } = ready;
  return {
    baseUrl,
    connectorUrl: `${baseUrl}/api/v1/ai/mcp`,
    clientDocumentUrl: documents.url,
    folder,
    newAgent,
    close: async () => await closing.disposeAsync(),
  };
}

type Documents = Awaited<ReturnType<typeof serveClientDocument>>;

/** The service reads it over https, and trusts the certificate by the variable of Node.js. */
async function serveClientDocument(folder: string) {
  const certificateFile = join(folder, 'certificate.pem');
  await writeFile(certificateFile, loopbackCertificate);
  let document = '';
  const server = createServer({ key: loopbackKey, cert: loopbackCertificate }, (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(document),
  );
  const { host } = new URL(await listen(server, 0));
  const url = `https://${host}/client.json`;
  document = JSON.stringify({
    client_id: url,
    client_name: 'A client with a document',
    redirect_uris: [redirectUrl],
    token_endpoint_auth_method: 'none',
  });
  return { url, host, certificateFile, close: () => closeServer(server) };
}

async function start(folder: string, { host, certificateFile }: Documents, closing: AsyncDisposableStack) {
  const home = join(folder, 'home');
  const child = spawn(process.execPath, ['bin/local.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      AGENT_FLOW_HOME: home,
      PORT: '0',
      EGRESS_ALLOW_PRIVATE: host,
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
  });
  const started = watchProcess(child, 'npm start');
  closing.defer(async () => {
    child.kill('SIGINT');
    await started.ended;
  });
  await started.prints('Stop with Ctrl-C.');
  const ready = readReady(resolveHome(home));
  const ordersUrl = readAddresses(resolveHome(home))?.ordersUrl;
  if (!ready || ordersUrl === undefined) throw new Error(`The service has left no addresses in ${home}.`);
  let agents = 0;
  const newAgent = async () => {
    agents += 1;
    return await registerAgent(ready, agents, ordersUrl);
  };
  return { ready, newAgent };
}

type Ready = NonNullable<ReturnType<typeof readReady>>;

const row = z.looseObject({ a2aregistryid: z.string() });

async function registerAgent(ready: Ready, number: number, ordersUrl: string): Promise<string> {
  const send = sender(ready);
  const name = `order-gift-${number}`;
  const body = { flowid: name, agent_card: card(name), flow: flow(`shop_${number}`, ordersUrl) };
  const { a2aregistryid } = row.parse(
    await send(`POST /api/v1/a2a-registry?workspaceid=${ready.workspaceid}`, body),
  );
  await send(`PUT /api/v1/a2a-registry/${a2aregistryid}/promote-live`);
  return a2aregistryid;
}

const card = (name: string) => ({
  name,
  description: 'Says where an order is, and wraps it as a gift.',
  skills: [{ id: 'gift', name: 'Gift', description: 'Wraps an order as a gift.', tags: ['orders'] }],
});

export const answer = 'yes';
export const finalText = 'Order 1042 is shipped. Wrapped as a gift: yes.';

const flow = (connection: string, ordersUrl: string) => ({
  version: 1,
  name: 'Order as a gift',
  egress: [new URL(ordersUrl).hostname],
  connections: {
    [connection]: {
      type: 'http_bearer',
      label: 'Your access to the shop',
      scope: 'user',
      hosts: [new URL(ordersUrl).hostname],
    },
  },
  start: 'order',
  nodes: {
    order: { type: 'http', url: `${ordersUrl}/orders/1042`, connection, next: 'wrap' },
    wrap: { type: 'ask', prompt: 'Wrap it as a gift?', choices: ['yes', 'no'], next: 'done' },
    done: {
      type: 'end',
      output: {
        answer: 'Order 1042 is {{ nodes.order.body.status }}. Wrapped as a gift: {{ nodes.wrap }}.',
      },
    },
  },
});
