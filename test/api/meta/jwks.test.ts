import { verifyAgentCardSignature } from '@a2a-js/sdk';
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newRow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { fetchCurrentCard } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { testedService } from '#test/support/tested-service.ts';

const servedCard = z.looseObject({ supportedInterfaces: z.array(z.looseObject({ url: z.url() })) });

describe('200', () => {
  test('one public key is published, named by its thumbprint, without a private part', async () => {
    const { body, headers } = await call('getJwks');
    expect(body.keys).toHaveLength(1);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    // Clients in a browser verify ID tokens and cards with it.
    expect(headers.get('access-control-allow-origin')).toBe('*');
    for (const key of body.keys) {
      expect(key).toEqual({
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        use: 'sig',
        x: expect.any(String),
        y: expect.any(String),
        kid: await calculateJwkThumbprint(key),
      });
    }
  });

  test('anyone can verify an API key with it', async () => {
    const { key, orgid } = await newCaller();
    const { body } = await call('getJwks');
    const { payload, protectedHeader } = await jwtVerify(key, createLocalJWKSet(body));
    expect(payload.org).toBe(orgid);
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'api-key+jwt', kid: body.keys[0]?.kid });
  });

  test('anyone can verify an Agent Card with it, as the official SDK does, and the signature covers its URL', async () => {
    const caller = await newCaller();
    const { card_url } = await newRow(caller);
    const card = servedCard.parse(await fetchCurrentCard(card_url, caller.key));
    const { body } = await call('getJwks');
    const asked: string[] = [];
    const verify = verifyAgentCardSignature(async (kid, jku = '') => {
      asked.push(jku);
      const { kty = '', ...jwk } = body.keys.find((key) => key.kid === kid) ?? {};
      return { kty, ...jwk };
    });
    const sdkCard = z.custom<Parameters<typeof verify>[0]>(() => true);
    await verify(sdkCard.parse(card));
    expect(asked).toEqual([`${testedService().baseUrl}/.well-known/jwks.json`]);
    const moved = [{ ...card.supportedInterfaces[0], url: 'https://evil.example.com' }];
    await expect(verify(sdkCard.parse({ ...card, supportedInterfaces: moved }))).rejects.toThrow();
  });
});
