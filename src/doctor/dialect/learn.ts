import {
  DEFAULT_DIALECT,
  DIALECT_KEYS,
  dialectFor,
  OVERRIDABLE,
  parseDialect,
} from '../../client/dialect.ts';
import { storedEnvironment } from '../../config/edits.ts';
import { openSettings, type SaveConfig } from '../../config/open-settings.ts';
import { dialectOf } from '../../config/resolve-target.ts';
import { type Selection, select } from '../../config/select-target.ts';
import { nounOf } from '../../core/endpoint.ts';
import { messageOf } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Sender } from '../../core/service/sender.ts';
import type { Dialect, Target } from '../../core/service-target.ts';
import { ENDPOINTS } from '../../nouns/endpoints.ts';
import { detectDialect, type Finding } from './detect.ts';
import type { ProbePorts } from './probe.ts';

/** By noun. */
export type Findings = ReadonlyMap<string, readonly Finding[]>;

/**
 * Detects the parameter names of all lists. A list with too few rows to show an effect takes over the names of
 * another list, if it accepts them.
 *
 * @param begin called before each list
 */
export async function detectLists(
  ports: ProbePorts,
  begin: (noun: string) => void = () => undefined,
): Promise<Findings> {
  const findings = new Map<string, readonly Finding[]>();
  const lists = ENDPOINTS.filter(({ query }) => query !== undefined);
  const seenIn = (nouns: readonly string[]) =>
    nouns
      .flatMap((noun) => findings.get(noun) ?? [])
      .filter(({ state, word }) => state === 'seen' && word !== 'paging');
  for (const spec of lists) {
    begin(nounOf(spec));
    findings.set(nounOf(spec), await detectDialect(spec, ports, seenIn([...findings.keys()])));
  }
  // The first list did not know the names of the others yet.
  const [first, ...others] = lists;
  const known = seenIn(others.map(nounOf));
  const isNews = ({ state, word }: Finding) =>
    state !== 'seen' && known.some((finding) => finding.word === word);
  if (findings.get(nounOf(first!))!.some(isNews)) {
    findings.set(nounOf(first!), await detectDialect(first!, ports, known));
  }
  return findings;
}

/** Whether lists should be read with the name of this finding. */
function isUsable(finding: Finding): finding is Finding & { readonly name: string } {
  return finding.state !== 'unclear' && finding.name !== undefined;
}

/** Whether a finding names something other than the dialect in use. */
export function isNew(finding: Finding, dialect: Dialect): boolean {
  const { word, name, base } = finding;
  if (!isUsable(finding)) return false;
  if (word === 'limit' && dialect.paging === 'none') return true;
  if (word !== 'position') return dialect[word] !== name;
  return base === undefined
    ? dialect.page !== undefined || dialect.offset !== name
    : dialect.page !== name || dialect.pageBase !== base;
}

export function hasNews(findings: Findings, target: Pick<Target, 'dialect'>): boolean {
  return [...findings].some(([noun, found]) =>
    found.some((finding) => isNew(finding, target.dialect(noun))),
  );
}

export function inUse(dialect: Dialect, word: Finding['word']): string {
  if (word === 'limit' && dialect.paging === 'none') return 'paging=none';
  if (word !== 'position') return dialect[word] ?? DEFAULT_DIALECT[word];
  return dialect.page === undefined ? dialect.offset : `${dialect.page} (from ${dialect.pageBase})`;
}

/** The pairs of a dialect that a finding stands for. */
export function pairsOf({ word, name, base }: Finding): Readonly<Partial<Dialect>> {
  if (word !== 'position') return { [word]: name };
  return base === undefined ? { offset: name! } : { page: name, pageBase: base };
}

/**
 * Adds the detected names to the dialect `text`. A name that all nouns share appears once, e.g.
 * `limit=top`; any other name appears per noun, e.g. `orders.limit=top`.
 */
export function dialectText(text: string, findings: Findings): string {
  const { all, byNoun } = parseDialect(text, 'the dialect in use');
  const dialects = OVERRIDABLE.map((noun) => {
    const own: { -readonly [K in keyof Dialect]?: Dialect[K] } = { ...all, ...byNoun[noun] };
    for (const finding of (findings.get(noun) ?? []).filter(isUsable)) {
      // A list with a limit has pages, so `paging=none` no longer holds.
      if (finding.word === 'limit') delete own.paging;
      if (finding.word === 'position') {
        delete own.page;
        delete own.pageBase;
      }
      Object.assign(own, pairsOf(finding));
    }
    return { noun, own };
  });
  return DIALECT_KEYS.flatMap((key) => {
    const value = dialects[0]!.own[key];
    if (value !== undefined && dialects.every(({ own }) => own[key] === value)) {
      return [`${key}=${value}`];
    }
    return dialects.flatMap(({ noun, own }) =>
      own[key] === undefined ? [] : [`${noun}.${key}=${own[key]}`],
    );
  }).join(',');
}

export type Stored =
  | {
      readonly kind: 'stored';
      readonly place: string;
      readonly text: string;
      readonly isOverridden: boolean;
    }
  | { readonly kind: 'no place'; readonly why: string; readonly text: string };

export function dialectWith(
  { self }: Ports<'self'>,
  selection: Selection,
  findings: Findings,
): string {
  return dialectText(dialectOf(self.env, selection).text, findings);
}

/**
 * Detects the parameter names after a list has shown that it does not know those in use, and stores them in
 * the selected environment. A preview only uses them.
 *
 * @returns undefined if there are no other names
 */
export async function learnNames(
  sender: Sender,
  { io, self }: Ports<'io' | 'self'>,
  isPreview: boolean,
): Promise<Target['dialect'] | undefined> {
  const { clock, signal } = self;
  const findings = await detectLists({ sender, clock, signal });
  if (!hasNews(findings, sender.target)) return undefined;
  const selection = select(openSettings(self).sources());
  const text = dialectWith({ self }, selection, findings);
  io.say({ kind: 'notice', text: whatIsOther(findings) });
  if (!isPreview) await keepNames(findings, { io, self });
  const dialect = parseDialect(text, 'the detected dialect');
  return (noun) => dialectFor(dialect, noun);
}

/**
 * Stores detected names in the selected environment, and says so. If that fails, the command goes on: it reads with
 * these names.
 */
export async function keepNames(findings: Findings, ports: Ports<'io' | 'self'>): Promise<void> {
  const { sources, update } = openSettings(ports.self);
  const selection = select(sources());
  const stored = await storeDialect(ports, selection, findings, update).catch(
    (thrown: unknown): Stored => ({
      ...{ kind: 'no place', why: messageOf(thrown) },
      text: dialectWith(ports, selection, findings),
    }),
  );
  const { text } = stored;
  ports.io.say(
    stored.kind === 'stored'
      ? {
          kind: 'notice',
          text: `stored for ${stored.place}: ${text}`,
        }
      : {
          kind: 'warning',
          text: `cannot store the parameter names: ${stored.why}. Set the variable PROC_DIALECT='${text}' instead`,
        },
  );
}

function whatIsOther(findings: Findings): string {
  const whole = [...findings].flatMap(([noun, found]) =>
    found.flatMap(({ rows }) => (rows === undefined ? [] : [`${rows} ${noun}`])),
  );
  return whole.length === 0
    ? 'the service has other names for the list parameters'
    : `the service returns a list in one response (${whole.join(', ')})`;
}

/** Stores the detected names in the selected environment. */
export async function storeDialect(
  ports: Ports<'self'>,
  selection: Selection,
  findings: Findings,
  save: SaveConfig,
): Promise<Stored> {
  const { known, profile, environment } = selection;
  if (known === undefined || profile === undefined || environment === undefined) {
    const why = 'no profile is selected';
    return { kind: 'no place', why, text: dialectWith(ports, selection, findings) };
  }
  let text = '';
  await save((draft) => {
    const { settings } = storedEnvironment(draft, profile.value, environment.value);
    text = dialectText(settings.dialect ?? '', findings);
    settings.dialect = text;
  });
  const isOverridden = (ports.self.env.PROC_DIALECT ?? '') !== '';
  return { kind: 'stored', place: `${profile.value} · ${environment.value}`, text, isOverridden };
}
