// The requests about declared triggers, files and environments whose AWS calls are counted.
import { newRow, promoted } from './builders.ts';
import type { TestCaller } from './caller.ts';
import { bearer, putConnection } from './connections.ts';
import { newFileBody, uploadFile } from './files.ts';
import { newTrigger, setting, yearly } from './triggers.ts';

export const triggerParams = (caller: TestCaller, trigger_id: string) => ({
  workspace_id: caller.workspaceid,
  trigger_id,
  environment: 'live',
});
const inWorkspace = ({ workspaceid }: TestCaller) => ({ query: { workspaceid } });
const timedTrigger = async (caller: TestCaller) => {
  const { flowid } = await newRow(caller);
  const { trigger_id } = await newTrigger({ ...caller, flowid }, { kind: 'schedule', schedule: yearly });
  return { flowid, params: { trigger_id } };
};
const newEnvironment = async (caller: TestCaller) => {
  const { flowid, a2aregistryid } = await newRow(caller);
  const body = { pins: { [flowid]: a2aregistryid }, env: {} };
  await setting({ ...caller, flowid }, 'uat', body);
  return { params: { environment: 'uat' }, ...inWorkspace(caller), body };
};
const withoutBody = <T extends { body: object }>({ body: _, ...rest }: T) => rest;

export const automationCases = {
  'trigger: run the newest test build': {
    operation: 'triggerFlow',
    prepare: async (caller: TestCaller) => {
      const { flowid } = await newRow(caller);
      return {
        params: { ...triggerParams(caller, flowid), environment: 'test' },
        body: { message: 'hello' },
      };
    },
    isRepeated: true,
  },
  'trigger: run the newest test build, whose run is exported': {
    operation: 'triggerFlow',
    prepare: async (caller: TestCaller) => {
      const { flowid } = await newRow(caller);
      const telemetry = { endpoint: 'https://collector.example/v1/traces' };
      await setting({ ...caller, flowid }, 'test', { telemetry });
      return {
        params: { ...triggerParams(caller, flowid), environment: 'test' },
        body: { message: 'hello' },
      };
    },
    isRepeated: true,
  },
  'trigger: run a flow by a declared trigger': {
    operation: 'triggerFlow',
    prepare: async (caller: TestCaller) => {
      const { trigger_id } = await newTrigger({
        ...caller,
        flowid: (await promoted(caller, await newRow(caller))).flowid,
      });
      return { params: triggerParams(caller, trigger_id), body: { message: 'hello' } };
    },
    isRepeated: true,
  },
  'triggers: create': {
    operation: 'createTrigger',
    prepare: async (caller: TestCaller) => {
      const { flowid } = await newRow(caller);
      return { ...inWorkspace(caller), body: { kind: 'schedule', flowid, schedule: yearly } };
    },
  },
  'triggers: list, one page': {
    operation: 'listTriggers',
    prepare: async (caller: TestCaller) => inWorkspace(caller),
  },
  'triggers: get': { operation: 'getTrigger', prepare: timedTrigger },
  'triggers: update': {
    operation: 'updateTrigger',
    prepare: async (caller: TestCaller) => {
      const { flowid, params } = await timedTrigger(caller);
      return { params, body: { flowid, schedule: yearly } };
    },
  },
  'triggers: delete': { operation: 'deleteTrigger', prepare: timedTrigger },
  'triggers: next runs': {
    operation: 'nextRuns',
    prepare: async (caller: TestCaller) => ({ ...(await timedTrigger(caller)), query: {} }),
  },
  'files: create': {
    operation: 'createFile',
    prepare: async (caller: TestCaller) => ({
      ...inWorkspace(caller),
      body: newFileBody({ content: Buffer.from('hello') }),
    }),
  },
  'files: get': {
    operation: 'getFile',
    prepare: async (caller: TestCaller) => ({
      ...inWorkspace(caller),
      params: { fileid: await uploadFile(caller, { content: Buffer.from('hello') }) },
    }),
  },
  'files: delete': {
    operation: 'deleteFile',
    prepare: async (caller: TestCaller) => ({
      ...inWorkspace(caller),
      params: { fileid: await uploadFile(caller, { content: Buffer.from('hello') }) },
    }),
  },
  'environments: list': {
    operation: 'listEnvironments',
    prepare: async (caller: TestCaller) => inWorkspace(caller),
  },
  'environments: get': {
    operation: 'getEnvironment',
    prepare: async (caller: TestCaller) => withoutBody(await newEnvironment(caller)),
  },
  'environments: get, with a sink of telemetry': {
    operation: 'getEnvironment',
    prepare: async (caller: TestCaller) => {
      const { flowid } = await newRow(caller);
      await setting({ ...caller, flowid }, 'dev', {
        telemetry: { endpoint: 'https://collector.example/v1/traces' },
      });
      return { params: { environment: 'dev' }, ...inWorkspace(caller) };
    },
  },
  'environments: set': { operation: 'setEnvironment', prepare: newEnvironment },
  'environments: try the telemetry': {
    operation: 'tryTelemetry',
    prepare: async (caller: TestCaller) => {
      await putConnection(caller, 'sink', bearer('hunter2', { hosts: ['collector.example'] }));
      const telemetry = { endpoint: 'https://collector.example/v1/traces', connection: 'sink' };
      const { flowid } = await newRow(caller);
      await setting({ ...caller, flowid }, 'dev', { telemetry });
      return { params: { environment: 'dev' }, ...inWorkspace(caller), body: {} };
    },
  },
  'environments: delete': {
    operation: 'deleteEnvironment',
    prepare: async (caller: TestCaller) => withoutBody(await newEnvironment(caller)),
  },
} as const;
