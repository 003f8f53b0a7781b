// Checks a deployed service through its gateway URL: that it answers, has its signing keys, refuses requests without
// credentials, and takes a key if there is one. It changes nothing.
import { setTimeout } from 'node:timers/promises';

interface SmokeTest {
  readonly gatewayUrl: string;
  readonly apiKey?: string | undefined;
  /** How long a gateway that was just deployed may take until it answers. */
  readonly patienceMs?: number;
}

const pauseMs = 2_000;
const requestMs = 20_000;

/** The checks that passed, as sentences. Rejects with the first that fails. */
export async function smokeTest({ gatewayUrl, apiKey, patienceMs = 60_000 }: SmokeTest): Promise<string[]> {
  const base = gatewayUrl.replace(/\/$/, '');
  const list = `${base}/api/v1/a2a-registry?workspaceid=ws_smoke_test`;
  await expectStatus(`${base}/health`, 200, {}, Date.now() + patienceMs);
  await expectStatus(`${base}/.well-known/jwks.json`, 200);
  await expectStatus(list, 401);
  const passed = ['It answers.', 'It has its signing keys.', 'It refuses requests without credentials.'];
  if (apiKey === undefined) return passed;
  await expectStatus(list, 200, { 'X-API-Key': apiKey });
  return [...passed, 'It takes the new API key.'];
}

async function expectStatus(
  url: string,
  expected: number,
  headers: Readonly<Record<string, string>> = {},
  retryUntil = 0,
): Promise<void> {
  const found = await readStatus(url, headers);
  if (found === expected) return;
  if (Date.now() >= retryUntil) throw new Error(`GET ${url}: expected status ${expected}, got ${found}.`);
  await setTimeout(pauseMs);
  await expectStatus(url, expected, headers, retryUntil);
}

/** The name of the error if there is no response. */
async function readStatus(url: string, headers: Readonly<Record<string, string>>): Promise<number | string> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(requestMs) });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
