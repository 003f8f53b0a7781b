// The drill of exported traces: their receiver fails for a while.
import { startOtlpReceiver } from '../otlp-receiver.ts';
import { exportedAgent, readSettings } from '../telemetry.ts';
import { runFlow } from './agent-calls.ts';
import type { DrillHost } from './drill-host.ts';
import type { Transcript } from './transcript.ts';

export async function refusedExport(drill: DrillHost): Promise<Transcript> {
  const receiver = await startOtlpReceiver();
  const agent = await exportedAgent(receiver);
  const readState = async () => {
    const { telemetry_state: state } = (await readSettings(agent)).body;
    return `\`last_error\` is ${state?.last_error ? `"${state.last_error.reason}"` : 'absent'}, \`last_exported_at\` is ${state?.last_exported_at ? 'set' : 'absent'}, \`dropped_runs\` is ${state?.dropped_runs ?? 0}`;
  };
  receiver.answers.push({ status: 503 });
  await runFlow(agent, 'Hello');
  await drill.host.idle();
  const seen = [
    `The run is not delayed. In \`telemetry_state\` of its environment ${await readState()}. Spans that the receiver has: ${receiver.spans.length}.`,
  ];
  await drill.waitLonger(2);
  const after = [
    `Spans that the receiver has: ${receiver.spans.length}. In \`telemetry_state\` ${await readState()}.`,
  ];
  await receiver.close();
  return {
    fault: 'The receiver of traces answers 503.',
    seen,
    cure: 'It works again before the last attempt. Nothing else is done.',
    after,
  };
}
