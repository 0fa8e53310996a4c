import { DIALECT_KEYS, dialectFor, OVERRIDABLE, parseDialect } from '../config/settings.ts';
import { nounOf } from '../core/endpoint.ts';
import type { Dialect, Target } from '../core/service.ts';
import { ENDPOINTS } from '../nouns/endpoints.ts';
import { detectNames, type Finding, type ProbePorts } from './detect.ts';

/** By noun. */
export type Findings = ReadonlyMap<string, readonly Finding[]>;

/** Detects the parameter names of all lists. */
export async function detectLists(ctx: ProbePorts): Promise<Findings> {
  const findings = new Map<string, readonly Finding[]>();
  for (const spec of ENDPOINTS.filter(({ query }) => query !== undefined)) {
    findings.set(nounOf(spec), await detectNames(spec, ctx, [...findings.values()].flat()));
  }
  return findings;
}

/**
 * Adds the detected names to the setting `text`. A name that all nouns share appears once, e.g.
 * `limit=top`; any other name appears per noun, e.g. `orders.limit=top`. A list that is too short to show a
 * name gets that of the other list, unless it has one of its own.
 *
 * @returns undefined if they would not change how a list is read
 */
export function newNames(
  text: string,
  findings: Findings,
  dialect: Target['dialect'],
): string | undefined {
  const { all, byNoun } = parseDialect(text, 'the names in use');
  const seen = [...findings.values()].flat().filter(({ name }) => name !== undefined);
  const dialects = OVERRIDABLE.map((noun) => {
    const own: { -readonly [K in keyof Dialect]?: Dialect[K] } = { ...all, ...byNoun[noun] };
    for (const found of findings.get(noun) ?? []) {
      const { word } = found;
      const isSet = word === 'position' ? (own.page ?? own.offset) : own[word];
      const other = found.isShort && !isSet ? seen.find((one) => one.word === word) : found;
      const { name, base } = other ?? found;
      if (name === undefined) continue;
      // A list with a limit has pages, so `paging=none` no longer holds.
      if (word === 'limit') delete own.paging;
      if (word !== 'position') own[word] = name;
      else {
        delete own.page;
        delete own.pageBase;
        Object.assign(own, base === undefined ? { offset: name } : { page: name, pageBase: base });
      }
    }
    return { noun, own };
  });
  const names = DIALECT_KEYS.flatMap((key) => {
    const value = dialects[0]!.own[key];
    if (value !== undefined && dialects.every(({ own }) => own[key] === value))
      return [`${key}=${value}`];
    return dialects.flatMap(({ noun, own }) =>
      own[key] === undefined ? [] : [`${noun}.${key}=${own[key]}`],
    );
  }).join(',');
  const settings = parseDialect(names, 'the detected names');
  const isSame = OVERRIDABLE.every((noun) => {
    const [before, after] = [dialect(noun), dialectFor(settings, noun)];
    return DIALECT_KEYS.every((key) => before[key] === after[key]);
  });
  return isSame ? undefined : names;
}

export function asVariable(names: string): string {
  return `PROC_LIST_NAMES='${names}'`;
}
