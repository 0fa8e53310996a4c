import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Dialect } from '../../core/service-target.ts';
import { jsonSchemaOf } from '../../schema/json-schema.ts';
import { type Finding, failures } from './finding.ts';
import { findLimit } from './limit.ts';
import { findPosition } from './position.ts';
import { Probe, ProbeEnded, type ProbePorts, type Query } from './probe.ts';
import { findDir, findSort } from './sort.ts';
import { findWhole } from './whole.ts';

const ORDER_ROWS = 20;

/** Detects the parameter names of a list with harmless GETs. */
export async function detectDialect(
  spec: EndpointSpec,
  configured: Dialect,
  ports: ProbePorts,
): Promise<readonly Finding[]> {
  const probe = new Probe(spec, ports);
  const found: Finding[] = [];
  const nameOf = (finding: Finding): string | undefined =>
    finding.state === 'seen' ? finding.name : undefined;
  const { sort = {} as { enum?: readonly unknown[] } } = jsonSchemaOf(spec.query!).properties ?? {};
  const fields = (sort.enum ?? []).map(String);
  const note = (finding: Finding): string | undefined => {
    found.push(finding);
    return nameOf(finding);
  };
  try {
    const baseline = await probe.ask({});
    if (baseline.kind === 'refused') {
      throw new ProbeEnded(`the service refuses the list without parameters (${baseline.status})`);
    }
    const names = [configured.offset, configured.page];
    const whole = await findWhole(probe, baseline, [configured.limit, ...names]);
    if (whole !== undefined) note(whole);
    const limit =
      whole === undefined
        ? note(await findLimit(probe, baseline, configured.limit))
        : note(nothingToFind('limit'));
    const position = note(
      whole === undefined ? await findPosition(probe, limit, names, []) : nothingToFind('position'),
    );
    const page: Query = limit === undefined ? {} : { [limit]: ORDER_ROWS };
    const taken = [limit, position];
    const order = note(await findSort(probe, page, fields, configured.sort, taken));
    const dir = note(await findDir(probe, page, order, fields, configured.dir, taken));
    if (limit !== undefined && position === undefined && order !== undefined && dir !== undefined) {
      // The list may have no stable order of its own, so sort it and try again.
      const sorting = { [order]: fields.at(-1)!, [dir]: 'asc' };
      const again = await findPosition(probe, limit, names, [order, dir], sorting);
      if (again.state === 'seen') found.splice(1, 1, again);
    }
  } catch (thrown) {
    if (!(thrown instanceof ProbeEnded)) throw thrown;
    for (const word of ['limit', 'position', 'sort', 'dir'] as const) {
      if (found.some((finding) => finding.word === word)) continue;
      const evidence = failures(probe.failed);
      found.push({ word, state: 'unclear', why: thrown.message, evidence });
    }
  }
  return found;
}

function nothingToFind(word: 'limit' | 'position'): Finding {
  return {
    word,
    state: 'unclear',
    why: 'the service returns the whole list in one response',
    evidence: [],
  };
}
