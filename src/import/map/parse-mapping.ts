import { ProcError } from '../../core/errors.ts';
import { type DecimalMark, eitherNumber, readNumber } from '../../core/text/decimal.ts';
import { nearest } from '../../core/text/nearest.ts';
import { show } from '../../core/validate.ts';
import type { Source } from '../source/record.ts';
import type { ImportField, TargetFields } from '../targets/import-target.ts';
import { columnsNamed, columnTyped, severalColumns } from './columns.ts';
import { convert } from './convert.ts';
import { type Mapping, parseTemplate, type Rule } from './mapping.ts';
import type { SavedMap } from './saved-map.ts';

interface MappingArgs {
  /** `--map code=SKU`. */
  readonly map: readonly string[];
  /** `--set type=Bikes`. */
  readonly set: readonly string[];
  readonly decimal?: DecimalMark | undefined;
  /** By reference, e.g. `order`: the fields that `--set currency=@order.currency` can copy. */
  readonly references: ReadonlyMap<string, readonly string[]>;
  readonly saved?: SavedMap | undefined;
}

interface ParsedMapping extends Mapping {
  /** Fields that `--map brand=` leaves out. */
  readonly leftOut: readonly string[];
}

type Columns = Pick<Source, 'columns' | 'table' | 'name'>;

/**
 * `--map` and `--set` take precedence over the saved map. A column with the name of a field fills a field that is in
 * neither, unless `--map` gives the column to another field.
 *
 * @throws ProcError `invalid_usage`, `unknown_field`
 */
export function parseMapping(
  args: MappingArgs,
  source: Columns,
  target: TargetFields,
): ParsedMapping {
  const { saved = {} } = args;
  const rules = new Map<string, Rule | undefined>();
  const mistakes: ProcError[] = [];
  for (const list of [savedAssignments(saved), typedAssignments(args)]) {
    const given = new Map<string, string>();
    for (const one of list) {
      try {
        const { name, rule } = one.isMap
          ? mapped(one, source, target)
          : constant(one, args, target);
        const earlier = given.get(name);
        if (earlier !== undefined)
          throw new ProcError(
            'invalid_usage',
            `${name} is given twice: ${earlier} and ${one.place}`,
          );
        given.set(name, one.place);
        rules.set(name, rule);
      } catch (thrown) {
        if (!(thrown instanceof ProcError)) throw thrown;
        mistakes.push(thrown);
        // One mistake in a field is enough.
        if (one.field !== undefined) rules.set(one.field, undefined);
      }
    }
  }
  const taken = [...rules.values()].flatMap((rule) =>
    rule !== undefined && 'column' in rule ? [rule.column] : [],
  );
  for (const { name } of target.fields) {
    if (rules.has(name)) continue;
    const found = columnsNamed(name, source).filter((column) => !taken.includes(column));
    if (found.length === 1) rules.set(name, { column: found[0]! });
    if (found.length > 1) mistakes.push(severalColumns(`--map ${name}=COLUMN`, name, found));
  }
  for (const field of Object.keys(saved.values ?? {})) {
    if (!target.fields.some(({ name }) => name === field))
      mistakes.push(unknownField(field, target, 'values of the map'));
  }
  if (mistakes.length > 0) throw together(mistakes);
  const fields: Record<string, Rule> = {};
  for (const { name } of target.fields) {
    const rule = rules.get(name);
    if (rule !== undefined) fields[name] = rule;
  }
  for (const [name, rule] of Object.entries(fields)) checkReference(name, rule, fields);
  const decimal = args.decimal ?? saved.decimal;
  return {
    fields,
    ...(decimal === undefined ? {} : { decimal }),
    ...(saved.values === undefined ? {} : { values: saved.values }),
    leftOut: [...rules].flatMap(([name, rule]) => (rule === undefined ? [name] : [])),
  };
}

interface Assignment {
  readonly isMap: boolean;
  /** Undefined if the flag does not name one. */
  readonly field: string | undefined;
  readonly value: string;
  /** For errors. */
  readonly place: string;
}

function savedAssignments({ map = {}, set = {} }: SavedMap): readonly Assignment[] {
  const of = (texts: Readonly<Record<string, string>>, isMap: boolean) =>
    Object.entries(texts).map(([field, value]) => {
      return { isMap, field, value, place: `map file: ${field}` };
    });
  return [...of(map, true), ...of(set, false)];
}

function typedAssignments({ map, set }: MappingArgs): readonly Assignment[] {
  const of = (texts: readonly string[], isMap: boolean) =>
    texts.map((text) => {
      const at = text.indexOf('=');
      const field = at < 1 ? undefined : text.slice(0, at).trim();
      const value = text.slice(at + 1).trim();
      return { isMap, field, value, place: `--${isMap ? 'map' : 'set'} ${text}` };
    });
  return [...of(map, true), ...of(set, false)];
}

function fieldOf({ field, isMap, place }: Assignment, target: TargetFields): ImportField {
  if (field === undefined) {
    const hint = `Use e.g. ${isMap ? '--map code=SKU' : '--set type=Bikes'}`;
    const expected = `expected FIELD=${isMap ? 'COLUMN' : 'VALUE'}`;
    throw new ProcError('invalid_usage', `${place}: ${expected}`, { hint });
  }
  const found = target.fields.find(({ name }) => name === field);
  if (found === undefined) throw unknownField(field, target, place);
  return found;
}

function unknownField(field: string, target: TargetFields, place: string): ProcError {
  const names = target.fields.map(({ name }) => name);
  const near = nearest(field, names);
  return new ProcError('invalid_usage', `${place}: there is no field ${JSON.stringify(field)}`, {
    hint:
      near === undefined ? `Fields: ${names.join(', ')}` : `Did you mean ${JSON.stringify(near)}?`,
  });
}

interface Ruled {
  readonly name: string;
  readonly rule: Rule | undefined;
}

/** A column or a template; no rule if it is empty. */
function mapped(assignment: Assignment, source: Columns, target: TargetFields): Ruled {
  const { name } = fieldOf(assignment, target);
  const { value, place } = assignment;
  if (value === '') return { name, rule: undefined };
  if (source.columns.includes(value) || parseTemplate(value) === undefined)
    return { name, rule: { column: columnTyped(value, source, place) } };
  const template = value.replace(
    /\{([^{}]+)\}/g,
    (_, column: string) => `{${columnTyped(column.trim(), source, place)}}`,
  );
  return { name, rule: { template } };
}

function constant(
  assignment: Assignment,
  { references }: MappingArgs,
  target: TargetFields,
): Ruled {
  const { name, kind } = fieldOf(assignment, target);
  const { value, place } = assignment;
  const from = referenceIn(value, references, place);
  if (from !== undefined) return { name, rule: { from } };
  // Constants are typed by a person, and --decimal is about the file.
  const reading = readNumber(value);
  if (/number|integer/.test(kind) && reading.kind === 'ambiguous') {
    const { grouped, divided } = reading;
    throw new ProcError('invalid_usage', `${place}: ${show(value)} ${eitherNumber(reading)}`, {
      hint: `Write ${grouped} or ${divided}`,
    });
  }
  const { problem } = convert(value, kind, '.');
  if (problem !== undefined) throw new ProcError('invalid_usage', `${place}: ${problem}`);
  return { name, rule: { constant: value } };
}

/** `order.currency` of `@order.currency`; undefined for a plain value. */
function referenceIn(
  value: string,
  references: MappingArgs['references'],
  place: string,
): string | undefined {
  if (references.size === 0 || !value.startsWith('@')) return undefined;
  const known = [...references].flatMap(([name, own]) => own.map((field) => `${name}.${field}`));
  const from = value.slice(1);
  if (known.includes(from)) return from;
  const near = nearest(from, known);
  throw new ProcError('unknown_field', `${place}: there is no field ${value}`, {
    hint:
      near === undefined
        ? `Use one of: ${known.map((one) => `@${one}`).join(', ')}`
        : `Did you mean @${near}?`,
  });
}

function checkReference(name: string, rule: Rule, fields: Mapping['fields']): void {
  if (!('from' in rule)) return;
  const [reference = ''] = rule.from.split('.');
  // A column of ids refers to the same record: `orderId` for `order`.
  if (fields[reference] !== undefined || fields[`${reference}Id`] !== undefined) return;
  throw new ProcError(
    'invalid_usage',
    `--set ${name}=@${rule.from}: no column is mapped to ${reference}`,
    { hint: `Map a column to it: --map ${reference}=COLUMN` },
  );
}

function together(mistakes: readonly ProcError[]): ProcError {
  const [first, ...others] = mistakes;
  if (first !== undefined && others.length === 0) return first;
  const hints = mistakes.flatMap(({ hint }) => hint ?? []);
  return new ProcError('invalid_usage', mistakes.map(({ message }) => message).join('; '), {
    hint: [...new Set(hints)].join(' '),
    details: { problems: mistakes.map(({ message, hint }) => ({ message, hint })) },
  });
}
