// The official SDK, in both eras of MCP and with both ways to be known to the authorization server. The first sign-in
// takes one scope of two, so that a call needs another one (step-up).
import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import {
  type CallTool,
  callToEnd,
  readCall,
  requireEqual,
  requireIncludes,
  requireListed,
  requireTools,
} from './call.ts';
import { nameOf } from './name.ts';
import { allow, storeConnection } from './person.ts';
import { answer, finalText, redirectUrl, type TestedService } from './service.ts';
import type { Step, StepName, TriedClient } from './table.ts';

const bothScopes = 'agents:read agents:call';

type Era = '2026-07-28' | '2025-11-25';
type Registration = 'CIMD' | 'DCR';

export const sdkClients = (service: TestedService): readonly TriedClient[] =>
  (['2026-07-28', '2025-11-25'] as const).flatMap((era) =>
    (['CIMD', 'DCR'] as const).map((registration) => ({
      name: `${nameOf('@modelcontextprotocol/client')}, ${era}, ${registration}`,
      steps: stepsOf(era),
      run: async (step) => await new SdkRun(service, era, registration).run(step),
    })),
  );

/** Only a client that names what it asks for in headers can call some tools with one scope of two. */
const stepsOf = (era: Era): readonly StepName[] => [
  'refused',
  'sign-in',
  ...(era === '2026-07-28'
    ? (['tools', 'list', 'step-up'] as const)
    : (['step-up', 'tools', 'list'] as const)),
  'auth required',
  'input required',
  'completed',
  'refresh',
];

/** What a program keeps between requests, as the SDK asks it to. */
class Memory implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly redirectUrl = redirectUrl;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'A client that registers',
    redirect_uris: [redirectUrl],
    token_endpoint_auth_method: 'none',
  };
  /** Where the person is to go; undefined once there. */
  authorizationUrl: URL | undefined;
  stored: StoredOAuthTokens | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;

  constructor(documentUrl: string | undefined) {
    if (documentUrl !== undefined) this.clientMetadataUrl = documentUrl;
  }

  clientInformation() {
    return this.#client;
  }

  saveClientInformation(information: StoredOAuthClientInformation): void {
    this.#client = information;
  }

  tokens() {
    return this.stored;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.stored = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier() {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState() {
    return this.#discovered;
  }
}

class SdkRun {
  readonly #service: TestedService;
  readonly #era: Era;
  readonly #registration: Registration;
  readonly #memory: Memory;
  readonly #elicited: string[] = [];
  #client: Client;
  #transport: StreamableHTTPClientTransport;

  constructor(service: TestedService, era: Era, registration: Registration) {
    this.#service = service;
    this.#era = era;
    this.#registration = registration;
    this.#memory = new Memory(registration === 'CIMD' ? service.clientDocumentUrl : undefined);
    this.#transport = this.#newTransport();
    this.#client = this.#newClient();
  }

  #newTransport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(new URL(this.#service.connectorUrl), {
      authProvider: this.#memory,
    });
  }

  #newClient(): Client {
    const isModern = this.#era === '2026-07-28';
    const client = new Client(
      { name: 'clients', version: '1' },
      {
        versionNegotiation: { mode: isModern ? { pin: '2026-07-28' } : 'legacy' },
        capabilities: isModern ? { elicitation: { form: {}, url: {} } } : {},
      },
    );
    if (isModern)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        this.#elicited.push(params.mode ?? 'form');
        if (params.mode !== 'url') return { action: 'accept', content: { answer } };
        await storeConnection(params.url);
        return { action: 'accept' };
      });
    return client;
  }

  async run(step: Step): Promise<void> {
    const agent = await this.#service.newAgent();
    await step('refused', async () => await this.#beRefused());
    await step('sign-in', async () => await this.#signIn('agents:read'));
    if (this.#era === '2026-07-28') await this.#connectAndCall(step, agent);
    else await this.#connectWithAll(step, agent);
    if (this.#era === '2026-07-28') await this.#callWithForms(step, agent);
    else await callToEnd(step, agent, this.#callTool);
    await step('refresh', async () => await this.#refresh());
    await this.#client.close();
  }

  readonly #callTool: CallTool = async (name, args) =>
    await this.#client.callTool({ name, arguments: { ...args } });

  async #beRefused(): Promise<void> {
    await this.#expectSignIn(async () => await this.#connect());
    const { searchParams } = this.#memory.authorizationUrl ?? new URL('none:');
    requireEqual(searchParams.get('resource'), this.#service.connectorUrl);
    requireEqual(searchParams.get('scope'), bothScopes);
    const isDocument = searchParams.get('client_id') === this.#service.clientDocumentUrl;
    requireEqual(isDocument, this.#registration === 'CIMD');
  }

  async #signIn(scope?: string): Promise<void> {
    const url = this.#memory.authorizationUrl;
    if (!url) throw new Error('The client does not ask to sign in.');
    if (scope !== undefined) url.searchParams.set('scope', scope);
    const { searchParams } = await allow(url.href);
    this.#memory.authorizationUrl = undefined;
    await this.#transport.finishAuth(searchParams);
    if (scope !== undefined) requireEqual(this.#memory.stored?.scope, scope);
  }

  /** Each message needs its own scopes. */
  async #connectAndCall(step: Step, agent: string): Promise<void> {
    await step('tools', async () => {
      await this.#connect();
      await this.#listTools();
    });
    await step('list', async () => requireListed(await this.#callTool('list_agents', {}), agent));
    const call = async () => await this.#callTool('call_agent', { registry_id: agent, message: 'Hello' });
    await step('step-up', async () => await this.#stepUp(call));
  }

  /** Messages before revision 2026-07-28 have no headers that name what they need, so all need all scopes. */
  async #connectWithAll(step: Step, agent: string): Promise<void> {
    await step('step-up', async () => await this.#stepUp(async () => await this.#connect()));
    await step('tools', async () => {
      await this.#connect();
      await this.#listTools();
    });
    await step('list', async () => requireListed(await this.#callTool('list_agents', {}), agent));
  }

  async #connect(): Promise<void> {
    this.#transport = this.#newTransport();
    this.#client = this.#newClient();
    await this.#client.connect(this.#transport);
  }

  async #listTools(): Promise<void> {
    requireEqual(this.#client.getNegotiatedProtocolVersion(), this.#era);
    const { tools } = await this.#client.listTools();
    requireTools(tools.map(({ name }) => name));
  }

  async #stepUp(ask: () => Promise<unknown>): Promise<void> {
    await this.#expectSignIn(ask);
    await this.#signIn();
    requireEqual(this.#memory.stored?.scope, bothScopes);
  }

  async #expectSignIn(ask: () => Promise<unknown>): Promise<void> {
    const refused = await ask().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(refused instanceof UnauthorizedError))
      throw new Error(`Expected a new sign-in, got ${String(refused)}.`);
  }

  async #callWithForms(step: Step, registryId: string): Promise<void> {
    const called = readCall(
      await this.#callTool('call_agent', { registry_id: registryId, message: 'Where is my order 1042?' }),
    );
    await step('auth required', async () => requireEqual(this.#elicited[0], 'url'));
    await step('input required', async () => requireEqual(this.#elicited[1], 'form'));
    await step('completed', async () => {
      requireEqual(called.state, 'completed');
      requireIncludes(called.text, finalText);
    });
  }

  /** As if it had expired: the access token is good for nothing any more. */
  async #refresh(): Promise<void> {
    const { stored } = this.#memory;
    if (!stored?.refresh_token) throw new Error('The client has no refresh token.');
    this.#memory.stored = { ...stored, access_token: `${stored.access_token.slice(0, -4)}AAAA` };
    await this.#callTool('list_agents', {});
    requireEqual(this.#memory.authorizationUrl, undefined);
    if (this.#memory.stored.refresh_token === stored.refresh_token)
      throw new Error('The refresh token is still the same one.');
  }
}
