// The forms of an Agent Card that are signed. Each is computed from the card as it is served; the members that the
// forms leave out are those that a2a.proto does not know, or that have the default of their type.
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import { canonicalJson } from '#lib/json/canonical.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

/** The names are those of a2a.proto in ProtoJSON. */
interface MessageType {
  /** Members that are REQUIRED or `optional`: they stay, whatever their value is. */
  readonly keep?: string;
  /** Other members that are no messages. */
  readonly more?: string;
  readonly messages?: Readonly<Record<string, string>>;
  /** Members that are maps of messages. */
  readonly maps?: Readonly<Record<string, string>>;
}

const security = { securityRequirements: 'SecurityRequirement' };

const types: Readonly<Record<string, MessageType>> = {
  AgentCard: {
    keep: 'name description supportedInterfaces version documentationUrl capabilities defaultInputModes defaultOutputModes skills iconUrl',
    messages: {
      supportedInterfaces: 'AgentInterface',
      provider: 'AgentProvider',
      capabilities: 'AgentCapabilities',
      skills: 'AgentSkill',
      ...security,
    },
    maps: { securitySchemes: 'SecurityScheme' },
  },
  AgentInterface: { keep: 'url protocolBinding protocolVersion', more: 'tenant' },
  AgentProvider: { keep: 'url organization' },
  AgentCapabilities: {
    keep: 'streaming pushNotifications extendedAgentCard',
    messages: { extensions: 'AgentExtension' },
  },
  AgentExtension: { keep: 'params', more: 'uri description required' },
  AgentSkill: {
    keep: 'id name description tags',
    more: 'examples inputModes outputModes',
    messages: security,
  },
  SecurityRequirement: { maps: { schemes: 'StringList' } },
  StringList: { more: 'list' },
  SecurityScheme: {
    messages: {
      apiKeySecurityScheme: 'APIKeySecurityScheme',
      httpAuthSecurityScheme: 'HTTPAuthSecurityScheme',
      oauth2SecurityScheme: 'OAuth2SecurityScheme',
      openIdConnectSecurityScheme: 'OpenIdConnectSecurityScheme',
      mtlsSecurityScheme: 'MutualTlsSecurityScheme',
    },
  },
  APIKeySecurityScheme: { keep: 'location name', more: 'description' },
  HTTPAuthSecurityScheme: { keep: 'scheme', more: 'description bearerFormat' },
  OAuth2SecurityScheme: {
    keep: 'flows',
    more: 'description oauth2MetadataUrl',
    messages: { flows: 'OAuthFlows' },
  },
  OpenIdConnectSecurityScheme: { keep: 'openIdConnectUrl', more: 'description' },
  MutualTlsSecurityScheme: { more: 'description' },
  OAuthFlows: {
    messages: {
      authorizationCode: 'AuthorizationCodeOAuthFlow',
      clientCredentials: 'ClientCredentialsOAuthFlow',
      implicit: 'ImplicitOAuthFlow',
      password: 'PasswordOAuthFlow',
      deviceCode: 'DeviceCodeOAuthFlow',
    },
  },
  AuthorizationCodeOAuthFlow: { keep: 'authorizationUrl tokenUrl scopes', more: 'refreshUrl pkceRequired' },
  ClientCredentialsOAuthFlow: { keep: 'tokenUrl scopes', more: 'refreshUrl' },
  ImplicitOAuthFlow: { more: 'authorizationUrl refreshUrl scopes' },
  PasswordOAuthFlow: { more: 'tokenUrl refreshUrl scopes' },
  DeviceCodeOAuthFlow: { keep: 'deviceAuthorizationUrl tokenUrl scopes', more: 'refreshUrl' },
};

/**
 * That of A2A §8.4.1; the card as it is served, by signers that remove no defaults; and those of the SDKs, which
 * also remove all that is empty. The client of the JavaScript SDK has lost the security schemes by then.
 */
export function listSignedForms(card: JsonObject): readonly string[] {
  const sdk = withoutEmpty(convert('AgentCard', card, isKnown)) ?? {};
  const { securitySchemes: _, ...withoutSchemes } = isObject(sdk) ? sdk : {};
  const forms = [convert('AgentCard', card, () => true), card, sdk, withoutSchemes];
  return [...new Set(forms.map(canonicalJson))];
}

type KeepMember = (type: MessageType, name: string) => boolean;

const listNames = (names = '') => names.split(' ');

const isKnown: KeepMember = ({ keep, more, messages = {}, maps = {} }, name) =>
  [...listNames(keep), ...listNames(more), ...Object.keys(messages), ...Object.keys(maps)].includes(name);

function convert(typeName: string, value: Json, keepMember: KeepMember): Json {
  if (isList(value)) return value.map((item) => convert(typeName, item, keepMember));
  const type = types[typeName];
  if (!isObject(value) || !type) return value;
  const kept = Object.entries(value).filter(([name, member]) => {
    const isKept = listNames(type.keep).includes(name) || !isDefault(type, name, member);
    return isKept && keepMember(type, name);
  });
  return Object.fromEntries(
    kept.map(([name, member]) => [name, convertMember(type, name, member, keepMember)]),
  );
}

function convertMember(
  { messages = {}, maps = {} }: MessageType,
  name: string,
  member: Json,
  keepMember: KeepMember,
): Json {
  const message = messages[name];
  if (message !== undefined) return convert(message, member, keepMember);
  const values = maps[name];
  if (values === undefined || !isObject(member)) return member;
  return Object.fromEntries(
    Object.entries(member).map(([key, value]) => [key, convert(values, value, keepMember)]),
  );
}

/** A message that is set has no default, even if it is empty; an empty list or map is one. */
function isDefault({ messages = {} }: MessageType, name: string, value: Json): boolean {
  if (isList(value)) return value.length === 0;
  if (isObject(value)) return messages[name] === undefined && Object.keys(value).length === 0;
  return value === '' || value === false || value === 0 || value === null;
}

/** Undefined for a value that has nothing in it. */
function withoutEmpty(value: Json): Json | undefined {
  if (value === '' || value === null) return undefined;
  if (isList(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const content = withoutEmpty(member);
    return content === undefined ? [] : [[name, content]];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
