import { existsSync } from 'node:fs';
import { parse, resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Choice, Ports } from '../../core/ports.ts';
import { sentence } from '../../core/row-problem.ts';
import { listed } from '../../core/text/listed.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { show } from '../../core/validate.ts';
import { fieldsOf } from '../../nouns/shared/references/look-up-references.ts';
import type { ImportFlags } from '../import-flags.ts';
import { isAddedColumn, type Source, type SourceRecord } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { textOf } from './convert.ts';
import { columnsSent, type Mapping } from './mapping.ts';
import { parseMapping } from './parse-mapping.ts';
import { type SavedMap, saveMap } from './saved-map.ts';

interface MapRequest {
  readonly source: Source;
  readonly target: ImportTarget;
  readonly flags: Pick<ImportFlags, 'map' | 'set' | 'decimal' | 'groupBy' | 'key' | 'saveMap'>;
  /** The map of `--map-file`. */
  readonly saved: SavedMap | undefined;
}

interface Chosen {
  readonly mapping: Mapping;
  /** The flags of all answers so far; others may add theirs. */
  readonly command: string[];
  /** Writes the file of `--save-map`; at a terminal, offers to save answers. */
  save(mapping: Mapping): Promise<void>;
}

/**
 * Maps columns by the flags, the map file or their names. At a terminal, asks for the column of each required field
 * that has none, and then for the other columns.
 *
 * @throws ProcError `invalid_usage`, `unknown_field`
 */
export async function chooseMapping(
  { source, target, flags, saved }: MapRequest,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<Chosen> {
  // An empty JSON array has no rows and no columns, so there is nothing to map.
  if (source.columns.length === 0 && source.head.length === 0)
    return { mapping: { fields: {} }, command: [], save: async () => {} };
  refuseUnread(source);
  // In `--set currency=@order.currency`, `order` is a reference. Only a reference whose name is one
  // word can follow `@`, so `groups[].addressId` cannot.
  const references = new Map(
    (target.references ?? [])
      .filter(({ field }) => /^\w+$/.test(field))
      .map(({ field, to, like = field }) => [like, fieldsOf(to)] as const),
  );
  const command: string[] = [];
  const parsed = () => {
    const map = [...flags.map, ...command.filter((word) => word !== '--map')];
    const { set, decimal } = flags;
    return parseMapping({ map, set, decimal, references, saved }, source, target.fields);
  };
  let { leftOut, ...mapping } = parsed();
  const missing = missingIn(mapping, target);
  if (missing.length > 0) {
    if (!ports.io.terminal.interactive || ports.self.flags.yes)
      throw noColumns(missing, source, target);
    const isFree = (column: string) =>
      !isAddedColumn(column) && column !== flags.groupBy && !columnsSent(mapping).has(column);
    const answer = (field: string, column: string) => {
      command.push('--map', `${field}=${column}`);
      ({ leftOut, ...mapping } = parsed());
    };
    for (const names of missing) {
      const field = await askField(names, ports);
      const columns = source.columns.filter((column) => !isAddedColumn(column));
      const column = await ports.ask.select<string | undefined>(`Which column fills ${field}?`, [
        ...columnChoices(columns, source),
        { name: 'None: stop', value: undefined },
      ]);
      if (column === undefined) throw noColumns(missing, source, target);
      answer(field, column);
    }
    const others = source.columns.filter(isFree);
    const open = () => openFields(mapping, target);
    const picked =
      others.length === 0 || open().length === 0
        ? []
        : await ports.ask.checkbox(
            'Which other columns do you want to send?',
            columnChoices(others, source),
          );
    for (const column of picked) {
      const field = await ports.ask.select(
        `Which field does ${column} fill?`,
        open().map((name) => ({ name, value: name })),
      );
      answer(field, column);
      if (open().length === 0) break;
    }
  }
  refuseUnreadable(source, columnsSent(mapping), flags.groupBy);
  const save = async (whole: Mapping) => {
    const file = flags.saveMap ?? (await fileForAnswers(command, source, ports));
    if (file !== undefined)
      saveMap([file, resolve(ports.self.cwd, file)], whole, leftOut, source, flags);
  };
  return { mapping, command, save };
}

/** @returns the file for a map of the answers; undefined if there are none, or the person does not want it */
async function fileForAnswers(
  answers: readonly string[],
  { name }: Source,
  { ask, io, self }: Ports<'io' | 'ask' | 'self'>,
): Promise<string | undefined> {
  if (answers.length === 0) return undefined;
  const file = `${name === 'standard input' ? 'import' : parse(name).name}.map.json`;
  const isThere = existsSync(resolve(self.cwd, file));
  if (
    await ask.confirm(`Save this map to ${file}${isThere ? ', over the one that exists' : ''}?`)
  ) {
    const command = typedAgain(self.typed, ['--map-file', file]);
    io.say({ kind: 'notice', text: `To skip these questions next time, run: ${command}` });
    return file;
  }
  const command = typedAgain(self.typed, answers);
  io.say({ kind: 'notice', text: `To skip these questions next time, run: ${command}` });
  return undefined;
}

/** One of several fields that a row needs. */
async function askField(
  [first, ...others]: readonly string[],
  { ask }: Ports<'ask'>,
): Promise<string> {
  if (others.length === 0) return first!;
  const choices = [first!, ...others].map((name) => ({ name, value: name }));
  return ask.select('Which of these does the file have?', choices);
}

/** Fields that nothing fills. */
function openFields({ fields }: Mapping, target: ImportTarget): readonly string[] {
  return target.fields.fields.map(({ name }) => name).filter((name) => fields[name] === undefined);
}

/**
 * Without a readable record there are no columns, and what is wrong with the first record is the answer.
 *
 * @throws ProcError `invalid_input`
 */
function refuseUnread({ name, columns, head }: Source): void {
  const problem = head[0]?.problem;
  if (columns.length > 0 || problem === undefined) return;
  const { row } = head[0]!;
  const at = problem.place?.line === undefined ? { row } : {};
  const place = { ...problem.place, ...at, file: name };
  const why = sentence({ ...problem, field: undefined, place });
  throw new ProcError('invalid_input', `${why}; nothing was sent`, {
    hint: `No record of ${name} can be read, so its columns are not known`,
  });
}

/** E.g. a formula whose result the workbook does not store is no empty cell. */
function refuseUnreadable(
  { unreadable, name }: Source,
  sent: ReadonlySet<string>,
  groupBy: string | undefined,
): void {
  const [found] = [...(unreadable ?? [])].filter(
    ([column]) => sent.has(column) || column === groupBy,
  );
  if (found === undefined) return;
  const [column, why] = found;
  throw new ProcError(
    'invalid_input',
    `cannot read the column ${JSON.stringify(column)} of ${name}: ${why}; nothing was sent`,
    {
      hint: 'Open it in a spreadsheet program, paste the cells as values (unmerge them, give dates a date format), and save it there',
    },
  );
}

/** The required fields that nothing fills, each with its alternatives. */
function missingIn(
  mapping: Mapping,
  { fields, needed = [] }: ImportTarget,
): readonly (readonly string[])[] {
  const required = fields.fields.flatMap((one) => (one.required === true ? [[one.name]] : []));
  return [...required, ...needed].filter((names) =>
    names.every((name) => mapping.fields[name] === undefined),
  );
}

function columnChoices(columns: readonly string[], { head }: Source): Choice<string>[] {
  return columns.map((column) => {
    const values = samples(head, column).join(' · ') || 'empty';
    return { name: `${column}  (${values})`, value: column };
  });
}

function noColumns(
  missing: readonly (readonly string[])[],
  { name, columns }: Source,
  { many, fields }: ImportTarget,
): ProcError {
  const all = fields.fields.map((field) => field.name);
  const [[first] = []] = missing;
  return new ProcError(
    'invalid_usage',
    `${name} has no column for the required fields of ${many}: ${missing.map((names) => names.join(' or ')).join(', ')}; nothing was sent`,
    {
      hint: `Add --map ${first}=COLUMN or --set ${first}=VALUE. Columns: ${listed(columns, 20)}. Fields: ${all.join(', ')}`,
      details: { missing, columns, fields: all },
    },
  );
}

const SAMPLES = 3;

const SAMPLE_LENGTH = 40;

function samples(head: readonly SourceRecord[], column: string): string[] {
  const found = new Set<string>();
  for (const { fields } of head) {
    const value =
      fields !== undefined && Object.hasOwn(fields, column) ? fields[column] : undefined;
    const text = (
      textOf(value) ?? (value === undefined || value === null ? '' : show(value))
    ).trim();
    if (text !== '') {
      found.add(text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH - 1)}…` : text);
    }
    if (found.size === SAMPLES) break;
  }
  return [...found];
}
