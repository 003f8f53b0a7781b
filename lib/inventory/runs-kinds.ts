// The kinds of items in the runs table.
import type { ItemKind } from './kind.ts';

const run = /^RUN#[^#]+$/;

export const runsKinds = [
  { name: 'run', pk: run, sk: /^HEAD$/, owner: 'attributes', callerData: ['input', 'callback_url'] },
  { name: 'run event', pk: run, sk: /^E#\d{10}$/, owner: 'run', callerData: ['answer', 'message'] },
  { name: 'snapshot', pk: run, sk: /^SNAP$/, owner: 'run' },
  { name: 'snapshot chunk', pk: run, sk: /^SNAPCHUNK#[^#]+#\d+$/, owner: 'run' },
  { name: 'first snapshot chunk', pk: run, sk: /^SNAPFIRST#\d+$/, owner: 'run' },
  { name: 'kept values', pk: run, sk: /^VALUES#[^#]+$/, owner: 'run', callerData: ['executions'] },
  { name: 'response chunk', pk: run, sk: /^RESPONSE#[^#]+#\d+$/, owner: 'run' },
  { name: 'callback', pk: run, sk: /^CALLBACK$/, owner: 'run' },
  { name: 'push configuration', pk: run, sk: /^PUSH#/, owner: 'run', callerData: ['target'] },
  { name: 'configuration link', pk: run, sk: /^LINK#[^#]+$/, owner: 'run' },
  { name: 'start key', pk: run, sk: /^KEY$/ },
  {
    name: 'missing connection',
    pk: /^NEEDS#(?<org>[^#]+)#(?<ws>[^#]+)#(ORG|USER#[^#]+)#[^#]+$/,
    sk: /^[^#]+#[^#]+$/,
  },
  { name: 'context', pk: /^CONTEXT#(?<org>[^#]+)#(?<ws>[^#]+)#/s, sk: /^TURNS$/ },
  {
    name: 'file',
    pk: /^FILE#(?<org>[^#]+)#(?<ws>[^#]+)#[^#]+$/,
    sk: /^META$/,
    callerData: ['about'],
  },
  { name: 'file usage', pk: /^FILES#(?<org>[^#]+)$/, sk: /^USED$/ },
  {
    name: 'sent event',
    pk: /^EVENT#(?<org>[^#]+)#(?<ws>[^#]+)#[^#]+#[^#]+$/,
    sk: /^SENT#/,
    callerData: ['content'],
  },
  {
    name: 'event name or wait',
    pk: /^EVENT#(?<org>[^#]+)#(?<ws>[^#]+)#[^#]+#[^#]+$/,
    sk: /^(NAME|WAIT)#/,
  },
  {
    name: 'stored value',
    pk: /^MEMORY#(?<org>[^#]+)#(?<ws>[^#]+)#[^#]+#[^#]+$/,
    sk: /^(VALUE|TALK|CONTEXT)#/,
    callerData: ['content'],
  },
  {
    name: 'dead letter',
    pk: /^DEAD#(?<org>[^#]+)#(?<ws>[^#]+)$/,
    sk: /^[^#]+$/,
    callerData: ['body', 'preview'],
  },
  { name: 'place of a dead letter', pk: /^DEAD#(?<org>[^#]+)$/, sk: /^[^#]+$/ },
  { name: 'workspace with dead letters', pk: /^DEAD#$/, sk: /^(?<org>[^#]+)#(?<ws>[^#]+)$/ },
  { name: 'permits', pk: /^LIMIT#RUNS#(?<org>[^#]+)$/, sk: /^(SLOTS|FOLLOWERS|ANSWERS)$/ },
  { name: 'request count', pk: /^LIMIT#/, sk: /^W#/ },
  { name: 'audit record', pk: /^AUDIT#(?<org>[^#]+)#(?<ws>[^#]+)#[^#]+$/, sk: /^/ },
  { name: 'usage', pk: /^USAGE#(?<org>[^#]+)#(?<ws>[^#]+)#(?<month>[^#]+)$/, sk: /^/ },
  { name: 'month with usage', pk: /^USAGE#(?<org>[^#]+)$/, sk: /^(?<month>[^#]+)#(?<ws>[^#]+)$/ },
] as const satisfies readonly ItemKind[];
export type RunsKind = (typeof runsKinds)[number]['name'];
