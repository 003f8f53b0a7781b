// The member `requestContext.identity` of a proxy event, as API Gateway sends it for requests without AWS
// credentials. The local gateway and the sample events use it.
export const toCallerIdentity = (sourceIp: string, userAgent: string | null) => ({
  accessKey: null,
  accountId: null,
  caller: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp,
  user: null,
  userAgent,
  userArn: null,
});
