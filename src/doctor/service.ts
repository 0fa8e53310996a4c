import { prepare } from '../client/request.ts';
import { failureOf } from '../client/response/failure.ts';
import type { EndpointSpec, RawResponse } from '../core/endpoint.ts';
import type { Clock } from '../core/ports.ts';
import type { Sender } from '../core/service/sender.ts';
import { listSectors } from '../nouns/sectors/index.ts';
import { type Check, ok, problem, warning } from './check.ts';

const ASKED: EndpointSpec = { ...listSectors, response: { kind: 'raw' } };

const SAMPLES = 3;
/** A larger difference between the clocks can make tokens and certificates invalid. */
const SKEW_MS = 60_000;
const SLOW_MS = 2_000;

export async function checkService(sender: Sender, clock: Clock): Promise<readonly Check[]> {
  const times: number[] = [];
  let response: RawResponse | undefined;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const began = clock.monotonic();
    const outcome = await sender.send(ASKED, {});
    times.push(Math.round(clock.monotonic() - began));
    if (outcome.kind !== 'done') {
      const request = prepare(ASKED, {}, sender.target);
      return [problem('service', failureOf(request, outcome, sender.target))];
    }
    response = outcome.value as RawResponse;
  }
  const body = Buffer.from(response!.bytes).toString('utf8').trimStart();
  const isList = body.replace(/^\uFEFF/, '').startsWith('[');
  return [
    isList
      ? ok('service', `GET ${ASKED.path} returns ${response!.status}`)
      : warning(
          'service',
          `GET ${ASKED.path} returns ${response!.status}, but without a list`,
          'Check that the base URL belongs to the service and ends in /api/v1: proc profile show',
        ),
    latencyCheck(times),
    clockCheck(response!, clock.now()),
  ];
}

function latencyCheck([first = 0, ...rest]: readonly number[]): Check {
  const [low = first, high = first] = [Math.min(...rest), Math.max(...rest)];
  const finding = `${low === high ? low : `${low} to ${high}`} ms per request, ${first} ms for the first`;
  return high > SLOW_MS
    ? warning('latency', finding, 'If requests time out, add --timeout 60')
    : ok('latency', finding);
}

function clockCheck({ headers }: RawResponse, now: number): Check {
  const date = Date.parse(String(headers.date ?? ''));
  if (Number.isNaN(date)) {
    return { check: 'clock', status: 'unknown', finding: 'the service sends no Date header' };
  }
  const skew = Math.round((now - date) / 1000);
  if (Math.abs(now - date) <= SKEW_MS)
    return ok('clock', 'differs from the service by less than a minute');
  const finding = `this machine is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the service`;
  return warning('clock', finding, 'Set the clock: tokens and certificates depend on it');
}
