import { describe, expect, test } from 'vitest';
import { environment } from '#lib/environment/environment.ts';

describe('an environment', () => {
  test.each([
    ['live', 'live'],
    ['prod', 'live'],
    ['PROD', 'live'],
    ['Live', 'live'],
    ['test', 'test'],
    ['dev', 'dev'],
    ['UAT', 'uat'],
  ])('%s is normalized to %s', (name, means) => {
    expect(environment.parse(name)).toBe(means);
  });

  test.each(['', 'staging', 'production', ' live', '__proto__', 'constructor', 'toString'])(
    '%j is none, and the refusal says which there are',
    (name) => {
      const { error } = environment.safeParse(name);
      expect(error?.issues[0]?.message).toMatch(/live.*prod.*test.*dev.*uat/);
    },
  );
});
