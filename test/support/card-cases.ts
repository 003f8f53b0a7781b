// The requests for cards whose AWS calls docs/aws-calls.md lists.
import { card, newRow, promoted } from './builders.ts';
import { type Case, invoke } from './call-cost.ts';
import type { TestCaller } from './caller.ts';
import { call } from './client.ts';

const liveFlow = async (caller: TestCaller) =>
  await promoted(caller, await newRow(caller, { visibility: 'public' }));

export const cardCases: Readonly<Record<string, Case>> = {
  'a2a: card of the live build': {
    operation: 'getLiveCard',
    prepare: async (caller) => ({
      params: { flowId: (await liveFlow(caller)).flowid },
      headers: { 'Cache-Control': 'no-cache' },
    }),
    isRepeated: true,
  },
  'a2a: card of the live build, requested for the first time': {
    operation: 'getLiveCard',
    // The process knows the live build of the flow, whose card has been updated.
    prepare: async (caller) => {
      const { a2aregistryid, flowid } = await liveFlow(caller);
      const params = { flowId: flowid };
      await invoke('getLiveCard', caller, { params });
      const body = { agent_card: card({ description: 'Talks.' }), visibility: 'public' };
      await call('updateRegistryRow', { key: caller.key, params: { a2aregistryid }, body });
      return { params, headers: { 'Cache-Control': 'no-cache' } };
    },
  },
  'a2a: card of the live build, again within 5 s': {
    operation: 'getLiveCard',
    prepare: async (caller) => ({ params: { flowId: (await liveFlow(caller)).flowid } }),
    isRepeated: true,
  },
  'a2a: card of the live build, which the client has (304)': {
    operation: 'getLiveCard',
    prepare: async (caller) => ({
      params: { flowId: (await liveFlow(caller)).flowid },
      headers: { 'If-None-Match': '*' },
    }),
    isRepeated: true,
  },
  'a2a: GetExtendedAgentCard': {
    operation: 'callLiveAgent',
    prepare: async (caller) => ({
      params: { flowId: (await liveFlow(caller)).flowid },
      body: { jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard' },
    }),
    isRepeated: true,
  },
};
