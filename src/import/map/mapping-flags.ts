import { ProcError } from '../../core/errors.ts';
import { type DecimalMark, eitherNumber, readNumber } from '../../core/text/decimal.ts';
import { checkExpression } from '../../core/text/expression.ts';
import { listed } from '../../core/text/listed.ts';
import { nearest } from '../../core/text/nearest.ts';
import { show } from '../../core/validate.ts';
import { sentence } from '../../messages/problems.ts';
import type { Source } from '../source/record.ts';
import type { ImportField, TargetFields } from '../targets/import-target.ts';
import { columnAt, columnNamed, repeatedHeader } from './column-named.ts';
import { convert } from './convert.ts';
import { compileExpression, type Mapping, parseTemplate, type Rule } from './mapping.ts';
import { normalise } from './match.ts';
import { readMapFile } from './saved-map.ts';

export interface MappingArgs {
  /** `--map code=SKU`. */
  readonly map: readonly string[];
  /** `--set type=Bikes`. */
  readonly set: readonly string[];
  /** `--null NA`. */
  readonly nulls: readonly string[];
  readonly decimal?: DecimalMark | undefined;
  /** `--map-value unitOfMeasure:ST=EA`, without files. */
  readonly values?: readonly string[] | undefined;
  /** By reference, e.g. `order`: the fields that `--set currency=@order.currency` can copy. */
  readonly references?: ReadonlyMap<string, readonly string[]> | undefined;
  readonly allowUnknown?: boolean | undefined;
  /** The content of `--map-file`, or the mapping of an earlier run. */
  readonly mapFile?: object | undefined;
  /** The source has rejected rows of an earlier run: columns are found by name, not by position. */
  readonly isRepair?: boolean | undefined;
  /** True: a column fills a field only if a person chose it, even if the names are equal. */
  readonly isAsked?: boolean | undefined;
  /** The confirmed result of {@link matchColumns}. */
  readonly matched?: ReadonlyMap<string, string> | undefined;
}

const JMESPATH = 'jmes:';

/**
 * Flags take precedence over the map file and matched columns. `--map brand=` leaves a field out.
 *
 * @throws ProcError `invalid_usage`, `unknown_field`
 */
export function parseMapping(
  args: MappingArgs,
  source: Pick<Source, 'columns' | 'table'>,
  target: TargetFields,
): Mapping {
  const { columns, table } = source;
  const file = args.mapFile === undefined ? undefined : readMapFile(args.mapFile);
  const rules = new Map<string, Rule | undefined>();
  const mistakes: ProcError[] = [];
  const collect = (work: () => void) => {
    try {
      work();
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      mistakes.push(thrown);
    }
  };
  for (const [field, rule] of Object.entries(file?.fields ?? {})) {
    const place = `map file: ${field}`;
    collect(() => {
      const { name } = known(field, target, place);
      rules.set(
        name,
        typeof rule === 'string'
          ? ruleOf(rule, source, name, place)
          : checked(atPosition(rule, source, args), columns, name, place),
      );
    });
  }
  if (file === undefined) {
    for (const { name } of target.fields) {
      if (columns.includes(name) && args.isAsked !== true) rules.set(name, { column: name });
    }
    for (const [field, column] of args.matched ?? []) rules.set(field, { column });
  }
  const given = new Map<string, string>();
  for (const text of args.map) {
    collect(() => {
      const { field, value, flag } = assignment('map', text, target, given);
      rules.set(field.name, ruleOf(value, source, field.name, flag));
    });
  }
  for (const text of args.set) {
    collect(() => {
      const { field, value, flag } = assignment('set', text, target, given);
      const from = referenceIn(value, [...(args.references?.keys() ?? [])], flag);
      if (from !== undefined) rules.set(field.name, { from });
      else {
        checkConstant(value, field, flag);
        rules.set(field.name, { constant: value });
      }
    });
  }
  for (const { name } of target.fields) {
    if (file !== undefined || args.isAsked === true || table?.repeated.has(name) !== true) continue;
    if (given.has(name) || rules.has(name)) continue;
    mistakes.push(repeatedHeader(name, source, `--map ${name}=`));
  }
  if (mistakes.length > 0) throw together(mistakes);
  const fields: Record<string, Rule> = {};
  for (const { name } of target.fields) {
    const rule = rules.get(name);
    if (rule !== undefined) fields[name] = rule;
  }
  const nulls = new Set([...(file?.nulls ?? []), ...args.nulls].map((word) => word.trim()));
  for (const [name, rule] of Object.entries(fields)) checkReference(name, rule, fields, args);
  const decimal = args.decimal ?? file?.decimal;
  const values = valuesOf(args.values ?? [], file?.values ?? {}, target);
  return {
    fields,
    nulls: [...nulls].filter((word) => word !== '').sort(),
    ...(decimal === undefined ? {} : { decimal }),
    ...(Object.keys(values).length === 0 ? {} : { values }),
  };
}

const VALUE_FORM = 'FIELD:VALUE=OTHER';

/** @throws ProcError `invalid_usage` */
function valuesOf(
  typed: readonly string[],
  saved: NonNullable<Mapping['values']>,
  target: TargetFields,
): NonNullable<Mapping['values']> {
  const values: Record<string, Record<string, string>> = {};
  for (const [field, own] of Object.entries(saved)) {
    values[known(field, target, 'map file: values').name] = { ...own };
  }
  const given = new Map<string, string>();
  for (const text of typed) {
    const flag = `--map-value ${text}`;
    const [, name, from = '', to = ''] = /^([^:=]+):([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined) {
      throw new ProcError('invalid_usage', expected(flag, VALUE_FORM), {
        hint: 'Use e.g. --map-value unitOfMeasure:ST=EA, or --map-value unitOfMeasure:FILE with a file of two columns',
      });
    }
    const field = known(name.trim(), target, flag);
    const key = `${field.name}:${from.trim()}`;
    const before = given.get(key);
    if (before !== undefined && before !== to.trim()) {
      throw twice(`--map-value ${key}`, before, to.trim());
    }
    given.set(key, to.trim());
    if (to.trim() !== '') checkConstant(to.trim(), field, flag);
    values[field.name] = { ...values[field.name], [from.trim()]: to.trim() };
  }
  return values;
}

function assignment(
  kind: 'map' | 'set',
  text: string,
  target: TargetFields,
  given: Map<string, string>,
): { readonly field: ImportField; readonly value: string; readonly flag: string } {
  // Only expressions are limited in length: a constant is a value and may be long.
  if (kind === 'map') checkExpression(text, `--map ${text.slice(0, 40)}…`);
  const flag = `--${kind} ${text}`;
  const equals = text.indexOf('=');
  if (equals < 1) {
    const form = expected(flag, `FIELD=${kind === 'map' ? 'COLUMN' : 'VALUE'}`);
    throw new ProcError('invalid_usage', form, {
      hint: eg(kind === 'map' ? '--map code=SKU' : '--set type=Bikes'),
    });
  }
  const field = known(text.slice(0, equals).trim(), target, flag);
  const earlier = given.get(field.name);
  if (earlier !== undefined) {
    throw twice(field.name, earlier, flag);
  }
  given.set(field.name, flag);
  return { field, value: text.slice(equals + 1).trim(), flag };
}

const eg = (example: string): string => `Use e.g. ${example}`;

const expected = (place: string, form: string): string => `${place}: expected ${form}`;

function twice(what: string, first: string, second: string): ProcError {
  return new ProcError('invalid_usage', `${what} is given twice: ${first} and ${second}`);
}

function known(name: string, target: TargetFields, place: string): ImportField {
  const found = target.fields.find((field) => field.name === name);
  if (found !== undefined) return found;
  const names = target.fields.map((field) => field.name);
  const shown = JSON.stringify(name);
  throw new ProcError('invalid_usage', `${place}: there is no field ${shown}`, {
    hint: didYouMean(name, names) ?? `Fields: ${names.join(', ')}`,
  });
}

/** `order.currency` of `@order.currency`; undefined for a plain value. */
function referenceIn(
  value: string,
  references: readonly string[],
  place: string,
): string | undefined {
  if (references.length === 0 || !value.startsWith('@')) return undefined;
  const [reference = '', property] = value.slice(1).split('.', 2);
  if (property !== undefined && property !== '' && references.includes(reference)) {
    return `${reference}.${property}`;
  }
  const near = nearest(reference, references);
  throw new ProcError('invalid_usage', `${place}: unknown reference ${value}`, {
    hint:
      near === undefined || near === reference || property === undefined
        ? eg(`@${references[0]}.${references[0] === 'order' ? 'currency' : 'name'}`)
        : meant(`@${near}.${property}`),
  });
}

function checkReference(
  name: string,
  rule: Rule,
  fields: Mapping['fields'],
  { references, allowUnknown }: MappingArgs,
): void {
  if (!('from' in rule)) return;
  const [reference = '', property = ''] = rule.from.split('.');
  const flag = `--set ${name}=@${rule.from}`;
  // A column of ids refers to the same record: `orderId` for `order`.
  if (fields[reference] === undefined && fields[`${reference}Id`] === undefined) {
    throw new ProcError('invalid_usage', `${flag}: no column is mapped to ${reference}`, {
      hint: `Map a column to it: --map ${reference}=COLUMN`,
    });
  }
  const known = references?.get(reference) ?? [];
  if (known.includes(property) || allowUnknown === true) return;
  const near = nearest(property, known);
  const all = known.join(', ');
  throw new ProcError(
    'unknown_field',
    `${flag}: the contract lists no field "${property}" of the ${reference}`,
    {
      hint:
        near === undefined
          ? `Use one of: ${all}. To use ${property} anyway, add --allow-unknown`
          : meant(`--set ${name}=@${reference}.${near}`),
    },
  );
}

/** The value of `--map`: a column, a template or an expression; undefined if it is empty. */
function ruleOf(
  text: string,
  source: Pick<Source, 'columns' | 'table'>,
  field: string,
  place: string,
): Rule | undefined {
  const { columns } = source;
  if (text === '') return undefined;
  const named = columnNamed(text, source, `--map ${field}=`, place);
  if (named !== undefined) return named;
  if (text.startsWith(JMESPATH))
    return checked({ jmespath: text.slice(JMESPATH.length) }, columns, field, place);
  if (parseTemplate(text) !== undefined) {
    const template = text.replace(/\{(#\d+)\}/g, (whole, position: string) => {
      const column = columnNamed(position, source, `--map ${field}=`, place)?.column;
      return column === undefined ? whole : `{${column}}`;
    });
    return checked({ template }, columns, field, place);
  }
  return checked({ column: text }, columns, field, place);
}

/** Finds the column at the position of a rule (`#3`): its name may differ in this source. */
function atPosition(
  rule: Rule,
  source: Pick<Source, 'columns' | 'table'>,
  { isRepair }: MappingArgs,
): Rule {
  if (!('column' in rule) || rule.position === undefined) return rule;
  // In a file of rejected rows, a person may have moved the columns.
  if (isRepair === true) return { column: rule.column };
  const column = columnAt(rule.position, source);
  return column === undefined ? { column: rule.column } : { ...rule, column };
}

function checked(rule: Rule, columns: readonly string[], field: string, place: string): Rule {
  if ('jmespath' in rule) compileExpression(rule.jmespath, field);
  const missing = columnsOf(rule).filter((column) => !columns.includes(column));
  if (missing.length === 0) return rule;
  const near = missing.map((column) => didYouMean(column, columns));
  const shown = missing.map((column) => JSON.stringify(column)).join(', ');
  const all = listed(columns, 20);
  throw new ProcError('invalid_usage', `${place}: there is no column ${shown}`, {
    hint: near.every((one) => one !== undefined)
      ? near.map((one) => one).join(' ')
      : `Columns: ${all}`,
  });
}

/** The columns that a rule names; empty for an expression. */
export function columnsOf(rule: Rule): readonly string[] {
  if ('column' in rule) return [rule.column];
  if ('template' in rule)
    return (parseTemplate(rule.template)?.parts ?? []).map(({ column }) => column);
  return [];
}

function checkConstant(value: string, field: ImportField, place: string): void {
  const { problem } = convert(value, field.kind, '.');
  const reading = readNumber(value);
  // Constants are typed by a person, and --decimal is about the file.
  if (/number|integer/.test(field.kind) && reading.kind === 'ambiguous') {
    const { grouped, divided } = reading;
    throw new ProcError('invalid_usage', `${place}: ${show(value)} ${eitherNumber(reading)}`, {
      hint: `Write ${grouped} or ${divided}`,
    });
  }
  if (problem !== undefined) {
    throw new ProcError('invalid_usage', `${place}: ${sentence(problem)}`);
  }
  const { choices } = field;
  if (choices === undefined) return;
  const isKnown = Object.entries(choices)
    .flatMap(([choice, others]) => [choice, ...others])
    .some((word) => normalise(word) === normalise(value));
  if (isKnown) return;
  const names = Object.keys(choices);
  throw new ProcError('invalid_usage', `${place}: expected ${names.join(' or ')}`, {
    hint: didYouMean(value, names),
  });
}

function didYouMean(typed: string, names: readonly string[]): string | undefined {
  const near = nearest(typed, names);
  return near === undefined ? undefined : meant(JSON.stringify(near));
}

function meant(near: string): string {
  return `Did you mean ${near}?`;
}

/** All mistakes at once. */
function together(mistakes: readonly ProcError[]): ProcError {
  const [first, ...others] = mistakes;
  if (first !== undefined && others.length === 0) return first;
  const message = mistakes.map((one) => one.message).join('; ');
  return new ProcError('invalid_usage', message, {
    hint: [...new Set(mistakes.flatMap(({ hint }) => hint ?? []))].join(' '),
    details: { problems: mistakes.map(({ message, hint }) => ({ message, hint })) },
  });
}
