import { ProcError } from '../../core/errors.ts';
import { sentence } from '../../core/problem/sentence.ts';
import { type DecimalMark, eitherNumber, readNumber } from '../../core/text/decimal.ts';
import { nearest } from '../../core/text/nearest.ts';
import { show } from '../../core/validate.ts';
import type { Source } from '../source/record.ts';
import type { ImportField, TargetFields } from '../targets/import-target.ts';
import { columnsNamed, columnTyped, severalColumns } from './column-named.ts';
import { convert } from './convert.ts';
import { columnsOf, type Mapping, parseTemplate, type Rule } from './mapping.ts';
import { readMapFile } from './saved-map.ts';

export interface MappingArgs {
  /** `--map code=SKU`. */
  readonly map: readonly string[];
  /** `--set type=Bikes`. */
  readonly set: readonly string[];
  readonly decimal?: DecimalMark | undefined;
  /** By reference, e.g. `order`: the fields that `--set currency=@order.currency` can copy. */
  readonly references?: ReadonlyMap<string, readonly string[]> | undefined;
  /** The content of `--map-file`, or the mapping of an earlier run. */
  readonly mapFile?: object | undefined;
}

type Columns = Pick<Source, 'columns' | 'table' | 'name'>;

/**
 * Without a map file, a column with the name of a field fills it. `--map` and `--set` take
 * precedence. `--map brand=` leaves a field out.
 *
 * @throws ProcError `invalid_usage`, `unknown_field`
 */
export function parseMapping(args: MappingArgs, source: Columns, target: TargetFields): Mapping {
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
        typeof rule === 'string' ? ruleOf(rule, source, place) : checked(rule, source, place),
      );
    });
  }
  const given = new Map<string, string>();
  for (const text of args.map) {
    collect(() => {
      const { field, value, flag } = assignment('map', text, target, given);
      rules.set(field.name, ruleOf(value, source, flag));
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
  for (const { name } of file === undefined ? target.fields : []) {
    if (given.has(name)) continue;
    const found = columnsNamed(name, source);
    if (found.length === 1) rules.set(name, { column: found[0]! });
    if (found.length > 1) mistakes.push(severalColumns(`--map ${name}=COLUMN`, name, found));
  }
  if (mistakes.length > 0) throw together(mistakes);
  const fields: Record<string, Rule> = {};
  for (const { name } of target.fields) {
    const rule = rules.get(name);
    if (rule !== undefined) fields[name] = rule;
  }
  for (const [name, rule] of Object.entries(fields)) checkReference(name, rule, fields, args);
  const decimal = args.decimal ?? file?.decimal;
  return { fields, ...(decimal === undefined ? {} : { decimal }) };
}

function assignment(
  kind: 'map' | 'set',
  text: string,
  target: TargetFields,
  given: Map<string, string>,
): { readonly field: ImportField; readonly value: string; readonly flag: string } {
  const flag = `--${kind} ${text}`;
  const equals = text.indexOf('=');
  if (equals < 1) {
    throw new ProcError(
      'invalid_usage',
      `${flag}: expected FIELD=${kind === 'map' ? 'COLUMN' : 'VALUE'}`,
      { hint: `Use e.g. ${kind === 'map' ? '--map code=SKU' : '--set type=Bikes'}` },
    );
  }
  const field = known(text.slice(0, equals).trim(), target, flag);
  const earlier = given.get(field.name);
  if (earlier !== undefined) {
    throw new ProcError('invalid_usage', `${field.name} is given twice: ${earlier} and ${flag}`);
  }
  given.set(field.name, flag);
  return { field, value: text.slice(equals + 1).trim(), flag };
}

function known(name: string, target: TargetFields, place: string): ImportField {
  const found = target.fields.find((field) => field.name === name);
  if (found !== undefined) return found;
  const names = target.fields.map((field) => field.name);
  const near = nearest(name, names);
  throw new ProcError('invalid_usage', `${place}: there is no field ${JSON.stringify(name)}`, {
    hint:
      near === undefined ? `Fields: ${names.join(', ')}` : `Did you mean ${JSON.stringify(near)}?`,
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
        ? `Use e.g. @${references[0]}.${references[0] === 'order' ? 'currency' : 'name'}`
        : `Did you mean @${near}.${property}?`,
  });
}

function checkReference(
  name: string,
  rule: Rule,
  fields: Mapping['fields'],
  { references }: MappingArgs,
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
  if (known.includes(property)) return;
  const near = nearest(property, known);
  throw new ProcError(
    'unknown_field',
    `${flag}: the contract lists no field "${property}" of the ${reference}`,
    {
      hint:
        near === undefined
          ? `Use one of: ${known.join(', ')}`
          : `Did you mean --set ${name}=@${reference}.${near}?`,
    },
  );
}

/** The value of `--map`: a column or a template; undefined if it is empty. */
function ruleOf(text: string, source: Columns, place: string): Rule | undefined {
  if (text === '') return undefined;
  if (!source.columns.includes(text) && parseTemplate(text) !== undefined) {
    return checked({ template: text }, source, place);
  }
  return { column: columnTyped(text, source, place) };
}

function checked(rule: Rule, source: Columns, place: string): Rule {
  if ('column' in rule) return { column: columnTyped(rule.column, source, place) };
  if (!('template' in rule)) return rule;
  const names = new Map(
    columnsOf(rule).map((column) => [column, columnTyped(column, source, place)]),
  );
  return {
    template: rule.template.replace(
      /\{([^{}]+)\}/g,
      (_, column: string) => `{${names.get(column.trim())}}`,
    ),
  };
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
