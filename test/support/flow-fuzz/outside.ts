// The ports of one process: each call fails as the weather says, has its effect at once, and answers a little later. A
// process that is dead gets no answer, and has no effect any more.
import type { Ports } from '#lib/flow/engine/ports.ts';
import type { AgentRequest } from '#lib/flow/ports/agent.ts';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { findFault, hash, type PortName, toError, type Weather } from './faults.ts';
import { answerAsModel, answerBadly } from './model.ts';
import { findFlow, readValue, receiveMessage, respond, type World, writeValue } from './world.ts';

export const never = <T>() => new Promise<T>(() => {});

export interface Outside {
  readonly world: World;
  readonly weather: Weather;
  /** True if the process is dead. Called before and after each effect. */
  readonly passEvent: () => boolean;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

type OutboundPorts = Required<
  Pick<Ports, 'http' | 'model' | 'mcp' | 'agent' | 'cancelTask' | 'discover' | 'store' | 'flows' | 'code'>
>;

export function createOutside(outside: Outside): OutboundPorts {
  const { world, weather } = outside;
  const call = <T>(port: PortName, what: string, to: NodeCall, act: Act<T>): Promise<T> => {
    const key = `${to.nodeId} ${to.visit} ${to.attempt} ${what}`;
    return callOutside(outside, key, findFault(port, key, weather), act);
  };
  return {
    http: (request, to) =>
      call('http', `${request.method} ${request.url}`, to, (key, isBad) =>
        respond(request, { key, isBad }, world),
      ),
    model: (request, to) =>
      call('model', describeRequest(request), to, (key, isBad) => {
        to.onText?.('said ');
        return (isBad ? answerBadly : answerAsModel)(request, key, world.salt);
      }),
    mcp: {
      list: (server, to) => call('mcp', `list ${server.url}`, to, (_, isBad) => listTools(isBad)),
      call: (_server, tool, args, to) =>
        call('mcp', `${tool} ${JSON.stringify(args)}`, to, (key, isError) => ({
          content: { tool, of: key },
          isError,
        })),
    },
    agent: (request, to) => {
      const { key, agent, started_task } = request;
      const act = () => workRemotely(request, to, outside);
      // A process that waits for a task may read it at any time: how often does not change what it finds.
      if (started_task !== undefined) return callOutside(outside, key, 'none', act);
      return call('agent', `${key} ${agent}`, to, act);
    },
    cancelTask: async () => undefined,
    // What is found is the same for each attempt: an agent may have stored it before its attempt failed.
    discover: (_filter, to) =>
      call('discover', '', to, () => (hash(`${to.nodeId} ${to.visit}`, world.salt) % 4 === 0 ? [] : found)),
    store: {
      hasContext: false,
      read: (key, to) => call('store', `read ${key.key}`, to, () => readValue(key, world)),
      write: (write, to) => call('store', `write ${write.key}`, to, () => writeValue(write, world)),
    },
    // As the code of the recipe returns it, so that thousands of flows need no interpreter.
    code: (request, to) =>
      call('code', request.input, to, (_, isBad) =>
        isBad ? { failure: { reason: 'threw', message: 'Error: asked for' } } : { json: request.input },
      ),
    flows: (request, to) => call('flows', request.flowid, to, () => findFlow(request)),
  };
}

const found = [{ agent: 'https://api.example.com/found', name: 'Found', description: 'Found.' }];

type Act<T> = (key: string, isBad: boolean) => T | Promise<T>;

async function callOutside<T>(
  { passEvent, weather }: Outside,
  key: string,
  fault: ReturnType<typeof findFault>,
  act: Act<T>,
): Promise<T> {
  if (passEvent() || fault === 'hang') return await never();
  if (typeof fault === 'object') throw toError(fault.code);
  const answer = await act(key, fault === 'special');
  for (let turn = 0; turn < (key.length + weather.salt) % 5; turn++) await undefined;
  if (passEvent()) return await never();
  return answer;
}

/** Without the times in results of tools: a process that reads a task later waits until later, too. */
const describeRequest = ({ messages, system = '', tools = [], model }: ModelRequest): string =>
  JSON.stringify([messages, system, tools.map(({ name }) => name), model]).replaceAll(
    /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    '',
  );

const listTools = (isBad: boolean) =>
  ['search', ...(isBad ? [] : ['save'])].map((name) => ({
    name,
    description: name,
    parameters: { type: 'object', properties: { id: { type: 'string' } } },
  }));

async function workRemotely(
  { started_task, patienceMs = Number.POSITIVE_INFINITY, ...request }: AgentRequest,
  to: NodeCall,
  { world, sleep }: Outside,
) {
  await to.onTask?.();
  const task_id = started_task ?? receiveMessage(request, to.attempt, world);
  const task = world.tasks.get(task_id);
  if (!task) throw toError('a2a.not_found');
  await to.onTask?.(task_id);
  const left = task.doneAt - world.timeline.now;
  if (left > patienceMs) return { state: 'working' as const, task_id, text: '' };
  await sleep(left, to.signal);
  return task.answer;
}
