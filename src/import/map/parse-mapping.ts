import type { DecimalMark } from '../../core/numbers.ts';
import { listed, nearest } from '../../core/wording.ts';
import { badFlag, headerOf, type Source } from '../source/record.ts';
import type { ImportField } from '../targets/import-target.ts';
import { convert } from './convert.ts';
import { type Mapping, piecesOf, type Rule } from './mapping.ts';
import type { SavedMap } from './saved-map.ts';

interface MappingArgs {
  /** `--map code=SKU`. */
  readonly map: readonly string[];
  /** `--set type=Bikes`. */
  readonly set: readonly string[];
  readonly decimal?: DecimalMark | undefined;
  readonly saved?: SavedMap | undefined;
}

type Columns = Pick<Source, 'columns' | 'format' | 'name'>;

interface Assignment {
  readonly flag: '--map' | '--set';
  readonly field: string;
  readonly value: string;
  /** For errors. */
  readonly place: string;
}

/**
 * `--map` and `--set` take precedence over the saved map. A column with the name of a field fills a field that is in
 * neither, unless `--map` gives the column to another field.
 *
 * @returns the mapping, and the fields that `--map brand=` leaves out
 * @throws ProcError `invalid_usage`
 */
export function parseMapping(
  { map, set, decimal, saved = {} }: MappingArgs,
  source: Columns,
  fields: readonly ImportField[],
): { readonly mapping: Mapping; readonly leftOut: readonly string[] } {
  const named = (name: string, place: string): ImportField =>
    fields.find((field) => field.name === name) ??
    unknown(
      `${place}: there is no field`,
      name,
      'Fields',
      fields.map((field) => field.name),
    );
  const given = new Map<string, Assignment>();
  for (const list of [
    [...savedIn('--map', saved.map), ...savedIn('--set', saved.set)],
    [...typedIn('--map', map), ...typedIn('--set', set)],
  ]) {
    const own = new Map<string, string>();
    for (const one of list) {
      const { field, place } = one;
      if (own.has(field)) throw badFlag(`${field} is given twice: ${own.get(field)} and ${place}`);
      own.set(field, place);
      given.set(field, one);
    }
  }
  const rules = new Map<string, Rule | undefined>();
  for (const [name, one] of given) {
    const field = named(name, one.place);
    rules.set(name, one.flag === '--map' ? mapped(one, source) : constant(one, field));
  }
  const taken = [...rules.values()].flatMap((rule) =>
    rule !== undefined && 'column' in rule ? [rule.column] : [],
  );
  for (const { name } of fields) {
    if (rules.has(name)) continue;
    const found = columnsNamed(name, source).filter((column) => !taken.includes(column));
    if (found.length > 1) severalColumns(`--map ${name}=COLUMN`, name, found);
    if (found.length === 1) rules.set(name, { column: found[0]! });
  }
  const { values } = saved;
  for (const name of Object.keys(values ?? {})) named(name, 'values of the map');
  const filled = fields.flatMap(({ name }) => {
    const rule = rules.get(name);
    return rule === undefined ? [] : [[name, rule] as const];
  });
  return {
    mapping: {
      fields: Object.fromEntries(filled),
      decimal,
      ...(values === undefined ? {} : { values }),
    },
    leftOut: [...rules].flatMap(([name, rule]) => (rule === undefined ? [name] : [])),
  };
}

function savedIn(flag: Assignment['flag'], texts: SavedMap['map'] = {}): readonly Assignment[] {
  return Object.entries(texts).map(([field, value]) => {
    return { flag, field, value, place: `map file: ${field}` };
  });
}

function typedIn(flag: Assignment['flag'], texts: readonly string[]): readonly Assignment[] {
  const [form, example] =
    flag === '--map' ? ['FIELD=COLUMN', 'code=SKU'] : ['FIELD=VALUE', 'type=Bikes'];
  return texts.map((text) => {
    const [, field, value = ''] = /^\s*([^=]*[^=\s])\s*=(.*)$/s.exec(text) ?? [];
    const place = `${flag} ${text}`;
    if (field !== undefined) return { flag, field, value: value.trim(), place };
    throw badFlag(`${place}: expected ${form}`, `Use e.g. ${flag} ${example}`);
  });
}

function unknown(message: string, text: string, title: string, names: readonly string[]): never {
  const near = nearest(text, names);
  throw badFlag(
    `${message} ${JSON.stringify(text)}`,
    near === undefined ? `${title}: ${listed(names, 20)}` : `Did you mean ${JSON.stringify(near)}?`,
  );
}

/** A column or a template; no rule if it is empty. */
function mapped({ value, place }: Assignment, source: Columns): Rule | undefined {
  if (value === '') return undefined;
  const pieces = piecesOf(value);
  if (source.columns.includes(value) || pieces.length === 1)
    return { column: columnTyped(value, source, place) };
  const named = (piece: string, at: number) =>
    at % 2 === 1 ? `{${columnTyped(piece, source, place)}}` : piece;
  return { template: pieces.map(named).join('') };
}

function constant({ value, place }: Assignment, { kind }: ImportField): Rule {
  const { problem } = convert(value, kind);
  if (problem !== undefined) throw badFlag(`${place}: ${problem}`);
  return { constant: value };
}

/** The same for names that differ only in case, spaces, `_` and `-`: `Unit_of Measure`. */
export function folded(name: string): string {
  return name.replace(/[\s_-]+/g, '').toLowerCase();
}

/** The columns whose header is `name`, but for case, spaces, `_` and `-`; the exact one alone if it exists. */
export function columnsNamed(
  name: string,
  { columns }: Pick<Source, 'columns'>,
): readonly string[] {
  if (columns.includes(name)) return [name];
  return columns.filter((column) => folded(headerOf(column)) === folded(name));
}

/**
 * Finds the column that a user typed. In JSON, a dotted name leads into nested objects.
 *
 * @param flag where it was typed, for errors
 * @throws ProcError `invalid_usage` if there is no such column, or if several are meant
 */
export function columnTyped(text: string, source: Columns, flag: string): string {
  const found = columnsNamed(text, source);
  if (found.length > 1) severalColumns(flag, text, found);
  if (found.length === 1) return found[0]!;
  const [first = ''] = text.split('.');
  if (source.format.kind !== 'csv' && first !== text && source.columns.includes(first)) return text;
  return unknown(`${flag}: ${source.name} has no column`, text, 'Columns', source.columns);
}

function severalColumns(flag: string, text: string, found: readonly string[]): never {
  const shown = found.map((column) => JSON.stringify(column)).join(', ');
  throw badFlag(`${flag}: ${text} may be any of ${shown}`, 'Name one of them exactly');
}
