// A process of its own that runs one map of a thousand items and prints how it came out; the test bounds its
// heap.
import { compileFlow } from '#lib/flow/definition/compile.ts';
import { type Outcome, runFlow } from '#lib/flow/engine/run-flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { checkedFlow, emptyInput, httpAnswer, scripted, startedAt } from '../scripted.ts';

/** What an item takes on its way, near the bound for one output, and what it gives. */
const itemBytes = 190 * 1024;
const load = { type: 'http', url: 'https://api.example.com/{{ index }}', next: 'give' };

const results: Readonly<Record<string, string>> = {
  small: '{{ index }}',
  middling: '{{ nodes.load.body.beginning }}',
  large: '{{ nodes.load.body.whole }}',
};

const [given = '', keeping] = process.argv.slice(2);
const items = Array.from({ length: 1000 }, (_, n) => n);
const body = { start: 'load', nodes: { load, give: { type: 'transform', output: results[given] } } };
const flow = checkedFlow(
  {
    each: { type: 'map', items, body, next: 'done' },
    done: { type: 'end', output: { sum: '{{ $sum(nodes.each) }}' } },
  },
  { egress: ['api.example.com'], limits: { max_steps: limits.stepsMax } },
);

const kept: string[] = [];
let snapshots = 0;
const { ports } = scripted();
const outcome: Outcome = await runFlow(compileFlow(flow), {
  runId: 'run-1',
  input: emptyInput,
  startedAt,
  signal: new AbortController().signal,
  ports: {
    ...ports,
    http: async ({ url }) => {
      // One flat text for each item, so that none shares its memory with another.
      const text = Buffer.alloc(itemBytes, url).toString('latin1');
      if (keeping === 'keeping') kept.push(text);
      return httpAnswer(200, { whole: text, beginning: Buffer.alloc(1024, url).toString() });
    },
    // As a table keeps them, some are written and forgotten; writing all takes seconds.
    checkpoint: async (snapshot) => {
      if (++snapshots % 100 === 0) JSON.stringify(snapshot);
    },
  },
});
console.log(JSON.stringify(outcome));
