import { ProcError } from '../../core/errors.ts';
import { checkExpression } from '../../core/text/expression.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { ImportField, TargetFields } from '../targets/target-fields.ts';
import { convert } from './convert.ts';
import { compileExpression } from './jmespath.ts';
import { readMapFile } from './map-file.ts';
import type { Decimal, Mapping, Rule } from './mapping.ts';
import { Mistakes } from './mistakes.ts';
import { parseTemplate } from './template.ts';

export interface MappingArgs {
  /** `--map code=SKU`. */
  readonly map: readonly string[];
  /** `--set type=Bikes`. */
  readonly set: readonly string[];
  /** `--null NA`. */
  readonly nulls: readonly string[];
  /** `--decimal`. */
  readonly decimal?: Decimal | undefined;
  /** References that values can be taken from (`--set currency=@order.currency`), with their fields. */
  readonly references?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Fields that the contract does not know of are taken from them too (`--allow-unknown`). */
  readonly allowUnknown?: boolean | undefined;
  /** The content of `--map-file`, or the mapping of an earlier run. */
  readonly mapFile?: object | undefined;
  /** Column by field, as {@link matchColumns} found and the user confirmed. */
  readonly matched?: ReadonlyMap<string, string> | undefined;
}

/** An expression of JMESPath stands after this. */
const JMESPATH = 'jmes:';

/**
 * The mapping that flags and file describe. Flags win over the file and over matched columns. Columns
 * named exactly like a field are taken without a word, unless a map file lists the fields; an empty
 * right side (`--map brand=`) leaves a field out. Throws `invalid_usage`.
 */
export function parseMapping(
  args: MappingArgs,
  columns: readonly string[],
  target: TargetFields,
): Mapping {
  const file = args.mapFile === undefined ? undefined : readMapFile(args.mapFile);
  const rules = new Map<string, Rule | undefined>();
  const mistakes = new Mistakes();
  for (const [field, rule] of Object.entries(file?.fields ?? {})) {
    const place = `map file: ${field}`;
    mistakes.collect(() => {
      const { name } = known(field, target, place);
      rules.set(
        name,
        typeof rule === 'string'
          ? ruleOf(rule, columns, name, place)
          : checked(rule, columns, name, place),
      );
    });
  }
  if (file === undefined) {
    for (const { name } of target.fields)
      if (columns.includes(name)) rules.set(name, { column: name });
    for (const [field, column] of args.matched ?? []) rules.set(field, { column });
  }
  const given = new Map<string, string>();
  for (const text of args.map) {
    mistakes.collect(() => {
      const { field, value, flag } = assignment('map', text, target, given);
      rules.set(field.name, ruleOf(value, columns, field.name, flag));
    });
  }
  for (const text of args.set) {
    mistakes.collect(() => {
      const { field, value, flag } = assignment('set', text, target, given);
      const from = referenceIn(value, [...(args.references?.keys() ?? [])], flag);
      if (from !== undefined) rules.set(field.name, { from });
      else {
        checkConstant(value, field, flag);
        rules.set(field.name, { constant: value });
      }
    });
  }
  mistakes.throwAll();
  const fields: Record<string, Rule> = {};
  for (const { name } of target.fields) {
    const rule = rules.get(name);
    if (rule !== undefined) fields[name] = rule;
  }
  const nulls = new Set([...(file?.nulls ?? []), ...args.nulls].map((word) => word.trim()));
  for (const [name, rule] of Object.entries(fields)) checkReference(name, rule, fields, args);
  const decimal = args.decimal ?? file?.decimal;
  return {
    fields,
    nulls: [...nulls].filter((word) => word !== '').sort(),
    ...(decimal === undefined ? {} : { decimal }),
  };
}

function assignment(
  kind: 'map' | 'set',
  text: string,
  target: TargetFields,
  given: Map<string, string>,
): { readonly field: ImportField; readonly value: string; readonly flag: string } {
  // A constant is a value and may be long.
  if (kind === 'map') checkExpression(text, `--map ${text.slice(0, 40)}…`);
  const flag = `--${kind} ${text}`;
  const equals = text.indexOf('=');
  if (equals < 1) {
    throw new ProcError(
      'invalid_usage',
      `${flag}: expected FIELD=${kind === 'map' ? 'COLUMN' : 'VALUE'}`,
      {
        hint: kind === 'map' ? 'For instance --map code=SKU' : 'For instance --set type=Bikes',
      },
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
  throw new ProcError('invalid_usage', `${place}: there is no field ${JSON.stringify(name)}`, {
    hint: didYouMean(name, names) ?? `Fields: ${names.join(', ')}`,
  });
}

/** `order.currency` of `@order.currency`; undefined where it is a plain value. */
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
  throw new ProcError('invalid_usage', `${place}: there is nothing to take ${value} from`, {
    hint:
      near === undefined || near === reference || property === undefined
        ? `For instance @${references[0]}.${references[0] === 'order' ? 'currency' : 'name'}`
        : `Did you mean @${near}.${property}?`,
  });
}

/** A value can be taken from what rows refer to, if they do, and if it has such a field. */
function checkReference(
  name: string,
  rule: Rule,
  fields: Mapping['fields'],
  { references, allowUnknown }: MappingArgs,
): void {
  if (!('from' in rule)) return;
  const [reference = '', property = ''] = rule.from.split('.');
  const flag = `--set ${name}=@${rule.from}`;
  if (fields[reference] === undefined) {
    throw new ProcError('invalid_usage', `${flag}: no column is mapped to ${reference}`, {
      hint: `Say which it is: --map ${reference}=COLUMN`,
    });
  }
  const known = references?.get(reference) ?? [];
  if (known.includes(property) || allowUnknown === true) return;
  const near = nearest(property, known);
  throw new ProcError(
    'unknown_field',
    `${flag}: the contract knows no ${property} of its ${reference}`,
    {
      hint:
        near === undefined
          ? `It has: ${known.join(', ')}. To take it all the same: --allow-unknown`
          : `Did you mean --set ${name}=@${reference}.${near}?`,
    },
  );
}

/** The right side of `--map`: a column, a template or an expression; undefined where it is empty. */
function ruleOf(
  text: string,
  columns: readonly string[],
  field: string,
  place: string,
): Rule | undefined {
  if (columns.includes(text)) return { column: text };
  if (text === '') return undefined;
  if (text.startsWith(JMESPATH))
    return checked({ jmespath: text.slice(JMESPATH.length) }, columns, field, place);
  if (parseTemplate(text) !== undefined) return checked({ template: text }, columns, field, place);
  return checked({ column: text }, columns, field, place);
}

/** The rule, if its columns are there and its expression is one. */
function checked(rule: Rule, columns: readonly string[], field: string, place: string): Rule {
  if ('jmespath' in rule) compileExpression(rule.jmespath, field);
  const missing = columnsOf(rule).filter((column) => !columns.includes(column));
  if (missing.length === 0) return rule;
  const near = missing.map((column) => didYouMean(column, columns));
  throw new ProcError(
    'invalid_usage',
    `${place}: there is no column ${missing.map((column) => JSON.stringify(column)).join(', ')}`,
    {
      hint: near.every((one) => one !== undefined)
        ? near.join(' ')
        : `Columns: ${columns.slice(0, 20).join(', ')}`,
    },
  );
}

/** The columns that a rule names; what an expression uses is not known. */
export function columnsOf(rule: Rule): readonly string[] {
  if ('column' in rule) return [rule.column];
  if ('template' in rule)
    return (parseTemplate(rule.template)?.parts ?? []).map(({ column }) => column);
  return [];
}

function checkConstant(value: string, field: ImportField, place: string): void {
  const { problem } = convert(value, field.kind, '.');
  if (problem !== undefined) throw new ProcError('invalid_usage', `${place}: ${problem}`);
  if (field.choices?.includes(value) === false) {
    throw new ProcError('invalid_usage', `${place}: expected ${field.choices.join(' or ')}`, {
      hint: didYouMean(value, field.choices),
    });
  }
}

function didYouMean(typed: string, names: readonly string[]): string | undefined {
  const near = nearest(typed, names);
  return near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
}
