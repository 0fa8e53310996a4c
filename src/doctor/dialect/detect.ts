import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Dialect } from '../../core/ports.ts';
import { jsonSchemaOf } from '../../schema/json-schema.ts';
import { type Finding, failures } from './finding.ts';
import { findLimit } from './limit.ts';
import { findPosition } from './position.ts';
import { Probe, ProbeEnded, type ProbePorts, type Query } from './probe.ts';
import { findDir, findSort } from './sort.ts';

/** Rows that each look at an order may take. */
const ORDER_ROWS = 20;

/**
 * Finds what a list calls its parameters, by harmless GETs and their effects. What cannot be told
 * stays unclear: a finding is a claim only where its effect, or its stated values, were seen.
 *
 * @param configured the dialect in use, whose names are tried first.
 */
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
    const limit = note(await findLimit(probe, baseline, configured.limit));
    const names = [configured.offset, configured.page];
    const position = note(await findPosition(probe, limit, names, []));
    const page: Query = limit === undefined ? {} : { [limit]: ORDER_ROWS };
    const taken = [limit, position];
    const order = note(await findSort(probe, page, fields, configured.sort, taken));
    note(await findDir(probe, page, order, fields, configured.dir, taken));
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
