import { DEFAULT_DIALECT } from '../../client/dialect.ts';
import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import type { Dialect } from '../../core/service-target.ts';
import { ENDPOINTS } from '../../nouns/endpoints.ts';
import { detectDialect } from './detect-dialect.ts';
import { type Finding, isUsable, shown } from './finding.ts';
import type { Findings } from './learn-dialect.ts';
import { Probe, ProbeEnded, type ProbePorts, type Query } from './probe.ts';

/** With fewer rows, the effect of a parameter cannot be observed. */
const TOO_FEW = 3;

/**
 * Detects the parameter names of all lists. What was seen for one list is tried first for the next one. If
 * that one has too few rows to show an effect, its names are taken over, provided that it accepts them.
 *
 * @param begin called before each list
 */
export async function learnLists(
  ports: ProbePorts,
  begin: (noun: string) => void = () => undefined,
): Promise<Findings> {
  const findings = new Map<string, readonly Finding[]>();
  let model: readonly Finding[] = [];
  for (const spec of ENDPOINTS.filter(({ query }) => query !== undefined)) {
    const noun = nounOf(spec);
    begin(noun);
    const own = ports.sender.target.dialect(noun);
    const found = await detectDialect(spec, withNames(own, model), ports);
    const isOpen = found.some(({ state }) => state === 'unclear');
    const all = isOpen ? await takenOver(spec, found, model, ports) : found;
    findings.set(noun, all);
    model = [...model, ...found.filter(({ state, word }) => state === 'seen' && word !== 'paging')];
  }
  return findings;
}

function withNames(own: Dialect, model: readonly Finding[]): Dialect {
  const dialect: { -readonly [K in keyof Dialect]: Dialect[K] } = { ...own };
  for (const finding of model) {
    if (!isUsable(finding) || finding.word === 'paging') continue;
    if (finding.word !== 'position') dialect[finding.word] = finding.name;
    else if (finding.page === undefined) dialect.offset = finding.name;
    else dialect.page = finding.name;
  }
  return dialect;
}

async function takenOver(
  spec: EndpointSpec,
  found: readonly Finding[],
  model: readonly Finding[],
  ports: ProbePorts,
): Promise<readonly Finding[]> {
  const open = new Set(found.filter(({ state }) => state === 'unclear').map(({ word }) => word));
  const own = ports.sender.target.dialect(nounOf(spec));
  const names = model.filter(({ word }) => open.has(word) && isDefault(own, word)).filter(isUsable);
  if (names.length === 0) return found;
  const probe = new Probe(spec, ports);
  try {
    const whole = await probe.ask({});
    if (whole.kind !== 'rows' || whole.rows.length >= TOO_FEW) return found;
    const query: Query = Object.fromEntries(names.map(trial));
    const seen = await probe.ask(query);
    if (seen.kind !== 'rows') return found;
    return found.map((finding) => {
      const name = names.find(({ word }) => word === finding.word);
      if (name === undefined || finding.state === 'seen') return finding;
      const why = `${finding.why}; as in another list, and accepted here`;
      const evidence = [...finding.evidence, shown(query, seen)];
      const { word, page } = name;
      return { word, state: 'unclear', name: name.name, page, isTaken: true, why, evidence };
    });
  } catch (thrown) {
    if (!(thrown instanceof ProbeEnded)) throw thrown;
    return found;
  }
}

/** What somebody has set for this list is not replaced without an effect. */
function isDefault(own: Dialect, word: Finding['word']): boolean {
  if (word === 'position') return own.page === undefined && own.offset === DEFAULT_DIALECT.offset;
  return own[word] === DEFAULT_DIALECT[word];
}

/** A value that has no effect on the first page. */
function trial({
  word,
  name,
  page,
}: Finding & { readonly name: string }): [string, string | number] {
  if (word === 'limit') return [name, 20];
  if (word === 'position') return [name, page?.base ?? 0];
  return [name, word === 'sort' ? 'code' : 'asc'];
}
