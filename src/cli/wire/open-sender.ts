import { trace } from '../../client/call.ts';
import { askWhetherInStep } from '../../client/connection/in-step.ts';
import { prepare } from '../../client/request.ts';
import { begin, send } from '../../client/send-once.ts';
import type { SelfPort } from '../../core/ports.ts';
import type { Sender } from '../../core/service/sender.ts';
import type { KeyedTarget, Target } from '../../core/service-target.ts';
import type { Destination } from './destination.ts';
import { withoutKey } from './without-key.ts';

/** @param at the target (default: the target of the command) */
export async function openSender(
  destination: Destination,
  { flags: { timeoutMs, verbose }, clock }: SelfPort,
  connections: number,
  dialect?: Target['dialect'],
  at?: KeyedTarget,
): Promise<Sender> {
  const found = at ?? (await destination.target());
  const target = dialect === undefined ? found : { ...found, dialect };
  const transport = await destination.transportTo(target, connections);
  const { say } = await destination.clientPorts(target);
  const options = { timeoutMs, now: clock.now };
  return {
    target: withoutKey(target),
    async send(spec, input, alone) {
      const request = prepare(spec, input, target);
      const started = clock.monotonic();
      const outcome = await send(request, transport, { ...options, alone });
      if (verbose) say(trace(request, outcome, 1, Math.round(clock.monotonic() - started)));
      return outcome;
    },
    poster(spec) {
      const request = prepare(spec, { rawBody: '' }, target);
      const together = { ...options, alone: false };
      const single = { ...options, alone: true };
      return (body, alone, onOutcome) =>
        begin({ ...request, body }, transport, alone ? single : together, onOutcome);
    },
    askWhetherInStep: (connection, list, input, onResult) =>
      askWhetherInStep(connection, prepare(list, input, target), transport, timeoutMs, onResult),
  };
}
