// What an access token costs that a process has checked before, beside verifying its signature with each request.
import { randomUUID } from 'node:crypto';
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { accessTokenType } from '#lib/access/access-token.ts';
import type { Caller } from '#lib/access/caller.ts';
import { rememberTokens } from '#lib/access/token-memory.ts';
import { measureCost, warmUp } from './measure.ts';
import { type Row, toFigure } from './row.ts';

const repetitions = 9;
/** A signature takes far longer than a look into memory. */
const ratioMin = 20;

const caller: Caller = { id: 'user_bench', orgid: 'org_bench', workspaces: '*', scopes: new Set() };

export async function tokenRows(): Promise<Row[]> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const token = await new SignJWT(claims())
    .setProtectedHeader({ alg: 'ES256', typ: accessTokenType, kid: randomUUID() })
    .sign(privateKey);
  const verifySignature = async () => (await jwtVerify(token, publicKey)).payload.exp ?? 0;
  const memory = rememberTokens(async () => ({ id: 'grant', caller, expiresAt: await verifySignature() }));
  const sides = [async () => await memory.verify(token), verifySignature] as const;
  for (const side of sides) await warmUp<unknown>(side);
  const [ours, peer]: [number[], number[]] = [[], []];
  for (let n = 0; n < repetitions; n += 1) {
    ours.push((await measureCost(sides[0])).cpuMicros);
    peer.push((await measureCost(sides[1])).cpuMicros);
  }
  const what = 'a known access token, CPU; peer: its signature alone';
  return [{ what, unit: 'µs', ours: toFigure(ours), peer: toFigure(peer), ratioMin }];
}

/** As long as those of a real token. */
const claims = () => {
  const now = Math.floor(Date.now() / 1_000);
  return {
    iss: 'https://agents.example.com',
    aud: 'https://agents.example.com/api/v1/ai/mcp',
    sub: `user_${'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'}`,
    client_id: 'https://assistant.example.com/oauth/client-metadata.json',
    org: 'org_demo',
    ws: '*',
    scope: 'agents:read agents:call',
    grant: randomUUID(),
    jti: randomUUID(),
    iat: now,
    exp: now + 600,
  };
};
