import { describe, expect, test } from 'vitest';
import { environment } from '#lib/run/trigger.ts';

describe('an environment', () => {
  test.each([
    ['live', 'live'],
    ['prod', 'live'],
    ['PROD', 'live'],
    ['Live', 'live'],
    ['test', 'test'],
    ['dev', 'test'],
    ['UAT', 'test'],
  ])('%s means the %s build', (name, means) => {
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
