import { failureOf } from '../client/answer/failure.ts';
import { prepare } from '../client/request.ts';
import type { EndpointSpec, RawAnswer } from '../core/endpoint.ts';
import type { Clock } from '../core/ports.ts';
import type { Sender } from '../core/service/sender.ts';
import { listSectors } from '../nouns/sectors/api.ts';
import { type Check, ok, problem, warning } from './check.ts';

/** Short, without parameters, in the contract for everyone: what can be asked without harm. */
const ASKED: EndpointSpec = { ...listSectors, response: { kind: 'raw' } };

const SAMPLES = 3;
/** Tokens and certificates have times; beyond this a wrong clock explains odd refusals. */
const SKEW_MS = 60_000;
const SLOW_MS = 2_000;

/** Whether the service answers to this credential, how fast, and what time it has there. */
export async function checkService(sender: Sender, clock: Clock): Promise<readonly Check[]> {
  const times: number[] = [];
  let answer: RawAnswer | undefined;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const began = clock.monotonic();
    const outcome = await sender.send(ASKED, {});
    times.push(Math.round(clock.monotonic() - began));
    if (outcome.kind !== 'done') {
      const request = prepare(ASKED, {}, sender.target);
      return [problem('service', failureOf(request, outcome, sender.target))];
    }
    answer = outcome.value as RawAnswer;
  }
  const body = Buffer.from(answer!.bytes).toString('utf8').trimStart();
  const isList = body.replace(/^\uFEFF/, '').startsWith('[');
  return [
    isList
      ? ok('service', `GET ${ASKED.path} answers ${answer!.status}`)
      : warning(
          'service',
          `GET ${ASKED.path} answers ${answer!.status}, but with no list`,
          'Check that the base URL is the service itself, with /api/v1: proc config list',
        ),
    latencyCheck(times),
    clockCheck(answer!, clock.now()),
  ];
}

function latencyCheck([first = 0, ...rest]: readonly number[]): Check {
  const [low = first, high = first] = [Math.min(...rest), Math.max(...rest)];
  const finding = `${low === high ? low : `${low} to ${high}`} ms a request, ${first} ms the first`;
  return high > SLOW_MS
    ? warning('latency', finding, 'If requests time out: --timeout 60')
    : ok('latency', finding);
}

function clockCheck({ headers }: RawAnswer, now: number): Check {
  const date = Date.parse(String(headers.date ?? ''));
  if (Number.isNaN(date)) {
    return { check: 'clock', status: 'unknown', finding: 'the service sends no Date' };
  }
  // The header counts whole seconds.
  const skew = Math.round((now - date) / 1000);
  if (Math.abs(now - date) <= SKEW_MS) return ok('clock', 'agrees with the service to a minute');
  const finding = `this machine is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the service`;
  return warning('clock', finding, 'Set the clock: tokens and certificates depend on it');
}
