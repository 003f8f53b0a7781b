// The kinds of items in the control table.
import type { ItemKind } from './kind.ts';

const meta = /^META$/;

export const controlKinds = [
  { name: 'registry row', pk: /^AGENT#[^#]+$/, sk: meta, owner: 'attributes' },
  { name: 'flow chunk', pk: /^AGENT#[^#]+$/, sk: /^PAYLOAD#[^#]+#\d+$/, owner: 'row' },
  { name: 'row history', pk: /^AGENT#[^#]+$/, sk: /^HISTORY#\d{8}$/, owner: 'row' },
  { name: 'card signatures', pk: /^CARD#(?<row>[^#]+)$/, sk: /^SIGNATURES$/, owner: 'attributes' },
  { name: 'flow', pk: /^FLOW#[^#]+$/, sk: /^WS#(?<org>[^#]+)#(?<ws>[^#]+)$/ },
  { name: 'URL owner', pk: /^FLOW#[^#]+$/, sk: /^OWNER$/, owner: 'attributes' },
  {
    name: 'posting',
    pk: /^WS#(?<org>[^#]+)#(?<ws>[^#]+)#(VISIBILITY|TAG|INPUT|OUTPUT|WORD)#/s,
    sk: /^[^#]+#(?<row>[^#]+)#[^#]+$/,
  },
  { name: 'idempotency record', pk: /^IDEM#(?<org>[^#]+)#[^#]+$/, sk: /^/ },
  { name: 'connection', pk: /^CONN#(?<org>[^#]+)#(?<ws>[^#]+)$/, sk: /^(ORG|USER#(?<user>[^#]+))#[^#]+$/ },
  { name: 'API key', pk: /^KEY#[^#]+$/, sk: meta, owner: 'attributes' },
  { name: 'member', pk: /^USER#[^#]+$/, sk: /^MEMBER#(?<org>[^#]+)$/ },
  { name: 'invitation', pk: /^INVITE#[^#]+$/, sk: /^ORG#(?<org>[^#]+)$/ },
  { name: 'organisation', pk: /^ORG#(?<org>[^#]+)$/, sk: meta },
  { name: 'workspace', pk: /^ORG#(?<org>[^#]+)$/, sk: /^WS#(?<ws>[^#]+)$/ },
  { name: 'session', pk: /^SESSION#[^#]+$/, sk: meta, owner: 'attributes' },
  { name: 'grant', pk: /^GRANT#[^#]+$/, sk: meta, owner: 'attributes' },
  { name: 'authorization state', pk: /^OAUTH#[^#]+#[^#]+$/, sk: meta },
  { name: 'trigger', pk: /^TRIGGER#(?<org>[^#]+)#[^#]+$/, sk: meta, owner: 'attributes' },
  { name: 'environment', pk: /^ENV#(?<org>[^#]+)#(?<ws>[^#]+)$/, sk: /^(live|test|dev|uat)$/ },
  {
    name: 'state of a sink',
    pk: /^SINK#(?<org>[^#]+)#(?<ws>[^#]+)$/,
    sk: /^(live|test|dev|uat)#[^#]+$/,
  },
  { name: 'budgets', pk: /^BUDGET#(?<org>[^#]+)$/, sk: /^BUDGETS$/ },
  {
    name: 'signing secret',
    pk: /^SECRET#(?<org>[^#]+)#(?<ws>[^#]+)$/,
    sk: /^(CALLBACK|WEBHOOK#(?<subject>[^#]+)(#(?<declared>[^#]+))?)$/,
  },
  { name: 'migration', pk: /^MIGRATION#[^#]+$/, sk: meta },
  {
    name: 'word posting',
    pk: /^SEARCH#WORD#(?<org>[^#]+)#[^#]+$/,
    sk: /^[^#]+#(?<ws>[^#]+)#[^#]+#(?<row>[^#]+)#[^#]+$/,
  },
  {
    name: 'build posting',
    pk: /^SEARCH#BUILDS#(?<org>[^#]+)$/,
    sk: /^[^#]+#(?<row>[^#]+)#(?<ws>[^#]+)#[^#]+$/,
  },
  {
    name: 'live posting',
    pk: /^SEARCH#LIVE#(?<org>[^#]+)#[^#]+$/,
    sk: /^[^#]+#\d{4}#[^#]+#(?<ws>[^#]+)#(?<flow>[^#]+)#(?<write>[^#]+)$/,
  },
  {
    name: 'public posting',
    pk: /^SEARCH#PUBLIC#[^#]+$/,
    sk: /^[^#]+#\d{4}#(?<org>[^#]+)#(?<ws>[^#]+)#(?<flow>[^#]+)#(?<write>[^#]+)$/,
  },
  // Of earlier versions, until the migration `search-index` deletes it.
  {
    name: 'former search document',
    pk: /^SEARCH#(PUBLIC|(LIVE|BUILD)#[^#]+)$/,
    sk: /^/,
    owner: 'attributes',
  },
] as const satisfies readonly ItemKind[];
export type ControlKind = (typeof controlKinds)[number]['name'];
