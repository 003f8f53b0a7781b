// The steps of a rotation of signing keys, as the functions see them.
import { expect, it } from 'vitest';
import { at, deployedTemplate, ofType, tenantLike } from './demo-app.ts';

const second = 'arn:aws:kms:eu-central-1:111122223333:key/9c8f3d2e-66bb-4c1f-9a64-7b2dae5f8033';
const secondId = '9c8f3d2e-66bb-4c1f-9a64-7b2dae5f8033';
const own = { Ref: expect.stringMatching(/^SigningKey/) };

function variables(signingKeys: string[] | undefined) {
  const made = deployedTemplate(tenantLike(signingKeys && { signingKeys }));
  const [, properties] = ofType(made, 'AWS::Lambda::Function').find(([id]) => id.startsWith('GetJwks')) ?? [];
  const { SIGNING_KEY_ID, SIGNING_KEY_ID_OTHER } = Object(at(properties, 'Environment.Variables'));
  const roles = JSON.stringify(ofType(made, 'AWS::IAM::Role').find(([id]) => id.startsWith('ReaderRole')));
  return { signs: SIGNING_KEY_ID, other: SIGNING_KEY_ID_OTHER, mayRead: roles.includes(second) };
}

it.each([
  ['only its own by default', undefined, { signs: own, other: undefined, mayRead: false }],
  ['its own, with a new one made known', ['own', second], { signs: own, other: secondId, mayRead: true }],
  ['a new one, with its own still good', [second, 'own'], { signs: secondId, other: own, mayRead: true }],
  ['a new one alone', [second], { signs: secondId, other: undefined, mayRead: true }],
])('a tenant may sign with %s', (_, signingKeys, expected) => {
  expect(variables(signingKeys)).toEqual(expected);
});

it('the signing key of the stack stays, even if another key signs', () => {
  const keys = ofType(deployedTemplate(tenantLike({ signingKeys: [second] })), 'AWS::KMS::Key');
  expect(keys.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['FlowKey', 'SigningKey', 'CursorKey']);
});
