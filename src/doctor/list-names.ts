import {
  DEFAULT_DIALECT,
  DIALECT_KEYS,
  dialectFor,
  OVERRIDABLE,
  parseDialect,
} from '../config/dialect.ts';
import { storedEnvironment } from '../config/names.ts';
import type { KnownEnvironment } from '../config/resolve-target.ts';
import { updateConfig } from '../config/write-config.ts';
import type { Context } from '../context.ts';
import { nounOf } from '../core/endpoint.ts';
import type { Dialect, Target } from '../core/service-target.ts';
import { ENDPOINTS } from '../nouns/endpoints.ts';
import { detectDialect, type Finding } from './detect.ts';
import type { ProbePorts } from './probe.ts';

/** By noun. */
export type Findings = ReadonlyMap<string, readonly Finding[]>;

/**
 * Detects the parameter names of all lists.
 *
 * @param begin called before each list
 */
export async function detectLists(
  ctx: ProbePorts,
  begin: (noun: string) => void = () => undefined,
): Promise<Findings> {
  const findings = new Map<string, readonly Finding[]>();
  for (const spec of ENDPOINTS.filter(({ query }) => query !== undefined)) {
    const noun = nounOf(spec);
    begin(noun);
    findings.set(noun, await detectDialect(spec, ctx, seenIn(findings)));
  }
  return findings;
}

function seenIn(findings: Findings): readonly Finding[] {
  return [...findings.values()]
    .flat()
    .filter(({ state, word }) => state === 'seen' && word !== 'paging');
}

/** The pairs of a dialect that a finding stands for. */
function pairsOf({ word, name, base }: Finding): Readonly<Partial<Dialect>> {
  if (word !== 'position') return { [word]: name };
  return base === undefined ? { offset: name! } : { page: name, pageBase: base };
}

/**
 * Adds the detected names to the setting `text`. A name that all nouns share appears once, e.g.
 * `limit=top`; any other name appears per noun, e.g. `orders.limit=top`. A list that is too short to show a
 * name gets that of the other list, unless it has one of its own.
 */
function namesText(text: string, findings: Findings): string {
  const { all, byNoun } = parseDialect(text, 'the names in use');
  const seen = seenIn(findings);
  const dialects = OVERRIDABLE.map((noun) => {
    const own: { -readonly [K in keyof Dialect]?: Dialect[K] } = { ...all, ...byNoun[noun] };
    for (const found of findings.get(noun) ?? []) {
      const { word } = found;
      const isSet = word === 'position' ? (own.page ?? own.offset) : own[word];
      const other = found.isShort && !isSet ? seen.find((one) => one.word === word) : undefined;
      const used = found.state === 'seen' ? found : other;
      if (used === undefined) continue;
      // A list with a limit has pages, so `paging=none` no longer holds.
      if (word === 'limit') delete own.paging;
      if (word === 'position') {
        delete own.page;
        delete own.pageBase;
      }
      Object.assign(own, pairsOf(used));
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

/** The setting, if it would change how a list is read. */
export function newNames(
  text: string,
  findings: Findings,
  dialect: Target['dialect'],
): string | undefined {
  const names = namesText(text, findings);
  const settings = parseDialect(names, 'the detected names');
  const isSame = OVERRIDABLE.every((noun) => {
    const [before, after] = [dialect(noun), dialectFor(settings, noun)];
    return Object.keys(DEFAULT_DIALECT).every(
      (key) => before[key as keyof Dialect] === after[key as keyof Dialect],
    );
  });
  return isSame ? undefined : names;
}

export function asVariable(names: string): string {
  return `PROC_LIST_NAMES='${names}'`;
}

/** Stores detected names in the selected environment. Returns the setting. */
export async function storeNames(
  ctx: Context,
  { profile, environment }: KnownEnvironment,
  findings: Findings,
): Promise<string> {
  let text = '';
  await updateConfig(ctx.env, (draft) => {
    const { settings } = storedEnvironment(draft, profile, environment);
    text = namesText(settings.listNames ?? '', findings);
    settings.listNames = text;
  });
  return text;
}
