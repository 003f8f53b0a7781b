// `npm run keys`, as an operator runs it.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { startKms } from '#lib/local/kms.ts';
import { runScript, unsetAws } from '#test/support/run-script.ts';

const issue = async (args: readonly string[], env = {}) => {
  const script = runScript('keys', ['issue', ...args], env);
  return { code: await script.ended, printed: script.printed() };
};

describe('npm run keys -- issue', () => {
  test('prints a key for the requested organisation, workspaces and permissions', async () => {
    const kms = await startKms(undefined);
    try {
      kms.createKey('signing', { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
      const wanted = [
        '--tenant',
        'demo',
        '--signing-key',
        'signing',
        '--org',
        'org_a',
        '--workspace',
        'ws_a',
      ];
      const { code, printed } = await issue([...wanted, '--scope', 'assistants.flows:read', '--days', '7'], {
        AWS_ENDPOINT_URL_KMS: kms.endpoint,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
      });
      expect(code, printed).toBe(0);
      const token = printed.trim().split('\n').at(-1) ?? '';
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'api-key+jwt' });
      const claims = decodeJwt(token);
      expect(claims).toMatchObject({ org: 'org_a', ws: ['ws_a'], scope: 'assistants.flows:read' });
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(7 * 86_400);
    } finally {
      await kms.close();
    }
  });

  test('takes the region from the ARN of the signing key, so that no variable has to set it', async () => {
    const kms = await startKms(undefined);
    try {
      kms.createKey('signing', { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
      const arn = 'arn:aws:kms:us-east-1:000000000000:key/signing';
      const { code, printed } = await issue(['--tenant', 'demo', '--signing-key', arn, '--org', 'org_a'], {
        ...unsetAws,
        AWS_ENDPOINT_URL_KMS: kms.endpoint,
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
      });
      expect(code, printed).toBe(0);
    } finally {
      await kms.close();
    }
  });

  test('reports in one line that AWS cannot be reached', async () => {
    const { code, printed } = await issue(
      ['--tenant', 'local', '--signing-key', 'k', '--org', 'o'],
      unsetAws,
    );
    expect(code).toBe(1);
    expect(printed.trim().split('\n')).toEqual([
      expect.stringMatching(/^No key was issued: Region is missing\. The region and credentials come from/),
    ]);
  });

  test.each([
    ['no tenant', [], '--tenant is missing.'],
    [
      'a tenant that has no file',
      ['--tenant', 'typo', '--signing-key', 'k', '--org', 'o'],
      '--tenant typo: there is no tenants/typo.json. Expected one of local, demo',
    ],
    ['an unknown option', ['--who', 'me'], '--who'],
    [
      'a permission that is none',
      ['--tenant', 'local', '--signing-key', 'k', '--org', 'o', '--scope', 'all'],
      '--scope all',
    ],
    ['too long a life', ['--tenant', 'local', '--signing-key', 'k', '--days', '366'], '--days must be'],
  ])('%s is refused with the expected value and the usage', async (_, args, said) => {
    const { code, printed } = await issue(args);
    expect(code).toBe(2);
    expect(printed).toContain(said);
    expect(printed).toContain('Usage: npm run keys');
  });
});
