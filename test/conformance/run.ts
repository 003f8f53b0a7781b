// `npm run conformance` runs the conformance suite of MCP against the service: against the endpoint, gate and transport of
// the connector, with the tools that the scenarios call, in both revisions and with the Tasks extension; and against the
// authorization server. Nothing leaves this machine. A scenario that fails without a waiver fails the program, and so
// does a waiver of one that passes.
import { tenantTemplate } from '#lib/infra/synth.ts';
import { startHost } from '#lib/local/host.ts';
import { type IdentityProvider, startIdentityProvider } from '#lib/local/identity-provider.ts';
import { sender } from '#lib/local/send.ts';
import { newCaller } from '#test/support/caller.ts';
import { runMain } from '#test/support/run-main.ts';
import { storeAgents } from './agents.ts';
import { runAuthorization } from './authorization.ts';
import { startProxy } from './proxy.ts';
import { compare, formatResults } from './results.ts';
import { runScenario, runSuite, type ScenarioResult } from './suite.ts';
import { type Revision, revisions, type Waivers, waivers } from './waivers.ts';

await runMain(main);
// A run of a fixture that nobody waits for would keep the process alive until its time-out.
process.exit();

async function main(): Promise<void> {
  const identities = await startIdentityProvider({ formerUrl: 'http://127.0.0.1:0', signsInAtOnce: false });
  try {
    await runWith(identities);
  } finally {
    await identities.close();
  }
}

async function runWith(identities: IdentityProvider): Promise<void> {
  const environment = {
    LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
    SIGN_IN_CLIENT_SECRET: identities.clientSecret,
  };
  const template = fixtureTemplate(identities);
  const host = await startHost({ template, dataDir: undefined, port: 0, environment });
  try {
    identities.open(host.baseUrl);
    const isIssuing = report('authorization server', await runAuthorization(host.baseUrl), {});
    const isServing = await runConnector(host.baseUrl);
    if (!isIssuing || !isServing) process.exitCode = 1;
  } finally {
    await host.close();
  }
}

async function runConnector(baseUrl: string): Promise<boolean> {
  const { key, workspaceid } = await newCaller();
  const send = sender({ baseUrl, apiKey: key });
  process.env.CONFORMANCE_AGENTS = JSON.stringify(await storeAgents(send, workspaceid));
  const proxy = await startProxy(baseUrl, key);
  return await runRevisions(`${proxy.url}/api/v1/ai/mcp`).finally(proxy.close);
}

async function runRevisions(url: string): Promise<boolean> {
  let isExpected = true;
  for (const revision of revisions) {
    const results = await runTwice(url, revision);
    isExpected = report(revision, results, waivers[revision]) && isExpected;
  }
  return isExpected;
}

/** Whether all results were expected. */
function report(title: string, results: readonly ScenarioResult[], waived: Waivers): boolean {
  console.log(`${formatResults(title, results, waived)}\n`);
  const faults = compare(results, waived);
  for (const fault of faults) console.log(fault);
  return faults.length === 0;
}

/** What fails is run once more. */
async function runTwice(url: string, revision: Revision): Promise<ScenarioResult[]> {
  const results = await runSuite(url, revision);
  const again = results.map(async (result) => {
    if (result.failures.length === 0 || waivers[revision][result.scenario] !== undefined) return result;
    return (await runScenario(url, revision, result.scenario))[0] ?? result;
  });
  return await Promise.all(again);
}

/** The tenant with the suite's tools in place of the connector's. */
function fixtureTemplate({ url: issuer, clientId }: IdentityProvider) {
  const models = {
    default: { provider: 'openai-compatible' as const, model: 'none', base_url: 'http://127.0.0.1:1' },
  };
  const template = tenantTemplate({
    id: 'conformance',
    models,
    modelDefault: 'default',
    egressAllowPrivate: ['127.0.0.1'],
    signIn: { issuer, clientId },
  });
  const served = Object.values(template.Resources).find(
    ({ Metadata }) => Metadata?.['agentflow:entry'] === 'functions/connector/serve.ts',
  );
  if (!served?.Metadata) throw new Error('The template has no function for the connector.');
  served.Metadata['agentflow:entry'] = 'test/conformance/fixture-function.ts';
  return template;
}
