import { rmSync } from 'node:fs';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { check } from '../../core/validate.ts';
import { looseFingerprintOf } from '../../history/fingerprints.ts';
import type { Journal } from '../ledger/journal.ts';
import { compileMapping } from '../map/compile.ts';
import type { Mapping, Rule } from '../map/mapping.ts';
import { makeResolver } from '../map/references/resolve-references.ts';
import { type Mended, openMended } from '../map/repair/repair-step.ts';
import type { Progress } from '../report/progress.ts';
import { rowsIn } from '../report/words.ts';
import type { MappedRow, RowProblem, Source, SourceRecord } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { groupRows } from './group-rows.ts';
import { stage } from './stage-rows.ts';
import { CellErrors } from './steps/cell-errors.ts';
import { Damage } from './steps/damaged-codes.ts';
import { Against } from './steps/referred-amounts.ts';
import { type SourceFilter, sourceFilter } from './steps/source-filter.ts';

type Batches = AsyncIterable<readonly MappedRow[]>;

/**
 * Reads and maps a source into its journal.
 *
 * @throws ProcError where more rows are invalid than the user allows, before anything is sent
 */
export async function stageSource(
  journal: Journal,
  target: ImportTarget,
  source: Source,
  patienceMs: number,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
  progress: Progress,
): Promise<void> {
  const { choices, groupBy } = journal.header;
  const isListed = target.listing !== undefined;
  const { create } = target;
  const mended = openMended(journal.header, target, ports);
  const unknown = new Set<string>();
  const most = choices.failFast ? 0 : choices.maxErrors;
  try {
    const rows = await resolved(journal, target, source, mended, patienceMs, ports);
    const whole = groupBy === undefined ? rows : groupRows(journal, rows, groupBy, target.grouped!);
    const checked = target.isChecked === true ? contractual(whole, target, unknown) : whole;
    await stage(journal, checked, {
      keyField: target.keyField,
      nameField: isListed && choices.noCode === 'name' ? target.listing?.nameField : undefined,
      rejectWithoutKey: isListed && choices.noCode === 'reject',
      fingerprint: isListed
        ? undefined
        : (body) => looseFingerprintOf(create.method, create.path, body),
      mostInvalid: most,
      onTooMany(row) {
        const flag = choices.failFast ? '--fail-fast' : `more than --max-errors ${most}`;
        const place = `${source.name}, ${row.replace(`: ${source.name}, `, ': ')}`;
        const unlimited = ports.self.typed.filter(
          (word) => !['--fail-fast', '--dry-run'].includes(word),
        );
        throw new ProcError('invalid_input', `${place} (${flag}); nothing was sent`, {
          hint: `See all of them in the plan: ${typedAgain(unlimited, ['--dry-run'], ['--max-errors'])}`,
        });
      },
      onProgress: (count) =>
        progress.step(`Reading: ${rowsIn(count)}`, { step: 'read', rows: count }),
      signal: ports.self.signal,
    });
    mended?.checkCodes();
    const unguarded = source.unguarded?.() ?? 0;
    if (unguarded > 0) journal.note({ unguarded });
  } finally {
    mended?.close();
  }
  if (unknown.size > 0) {
    const shown = [...unknown].slice(0, 12).join(', ');
    ports.io.say({
      kind: 'warning',
      text: `the contract does not know these fields; they are not sent: ${shown}`,
    });
  }
}

/** Rows with ids in the place of what people know; told afterwards how they compare with it. */
async function resolved(
  journal: Journal,
  target: ImportTarget,
  source: Source,
  mended: Mended | undefined,
  patienceMs: number,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): Promise<Batches> {
  const { groupBy } = journal.header;
  const mapping = journal.header.mapping as Mapping;
  const { fields, references = [] } =
    (groupBy === undefined ? undefined : target.grouped) ?? target;
  const isMeant = sourceFilter(journal.header.choices.where, source);
  const read = () => mapped(source, compileMapping(mapping, fields), mended, isMeant);
  const resolver = await makeResolver(references, mapping, read, patienceMs, ports);
  const { against } = target;
  const codes = [
    target.keyField,
    ...(target.codeFields ?? []),
    ...references.filter(({ into }) => into !== undefined).map(({ field }) => field),
  ].filter((field) => mapping.fields[field] !== undefined);
  const isWorkbook = source.format.workbook !== undefined;
  const damage = new Damage(codes, isWorkbook);
  // Rejected rows of a workbook come back as text.
  const isFromWorkbook = isWorkbook || mended?.isOfWorkbook === true;
  const errors = new CellErrors(mapping, isFromWorkbook ? undefined : codes, groupBy);
  const nameless = new Nameless(target, mapping);
  return (async function* () {
    const compared = against === undefined ? undefined : new Against(against);
    for await (const batch of read()) {
      yield batch.map((mappedRow) => {
        if (mappedRow.isFiltered === true) return mappedRow;
        const row = damage.observe(errors.observe(mappedRow), (field) =>
          isNumberIn(mappedRow, mapping.fields[field]),
        );
        nameless.observe(row);
        if (resolver === undefined) return row;
        const done = resolver.resolve(row);
        if (compared === undefined || done.body === undefined) return done;
        const order = resolver.target(against!.reference, row.body?.[against!.reference]);
        if (order !== undefined) compared.add(done, order);
        return done;
      });
    }
    const warnings = [
      ...damage.warnings(),
      ...nameless.warnings(),
      ...(compared?.warnings() ?? []),
    ];
    for (const text of warnings) ports.io.say({ kind: 'warning', text });
  })();
}

function isNumberIn({ fields }: MappedRow, rule: Rule | undefined): boolean {
  if (rule === undefined || !('column' in rule) || fields === undefined) return false;
  return typeof (fields as Readonly<Record<string, unknown>>)[rule.column] === 'number';
}

async function* mapped(
  source: Source,
  map: ReturnType<typeof compileMapping>,
  mended: Mended | undefined,
  isMeant: SourceFilter | undefined,
): AsyncGenerator<readonly MappedRow[]> {
  const placed = (record: SourceRecord): MappedRow => {
    if (record.fields === undefined && record.problem?.ofFile !== true) {
      return map({ ...record, problem: inFile(source.name, record) });
    }
    if (isMeant?.(record) !== false) return map(record);
    const { row, line } = record;
    return { row, line, fields: undefined, body: undefined, isFiltered: true };
  };
  const follow = mended?.follow();
  for await (const records of source.records()) {
    yield mended === undefined || follow === undefined
      ? records.map(placed)
      : records.map((record) => {
          const row = placed(record);
          return row.isFiltered === true ? row : follow(row, record);
        });
  }
}

/** What cannot be read is looked for in the source itself: where it stands there is said with it. */
function inFile(name: string, { row, line, problem }: SourceRecord): RowProblem {
  const { field, message = 'cannot be read' } = problem ?? {};
  const [, place = line === undefined ? `row ${row}` : `line ${line}`, what = message] =
    /^(line \d+(?:, column \d+)?): ([\s\S]*)$/.exec(message) ?? [];
  return { message: `${name}, ${place}: ${field === undefined ? '' : `${field}: `}${what}` };
}

/** Rows whose bodies the contract allows; the others are rejected, with the field. */
async function* contractual(
  batches: Batches,
  { create }: ImportTarget,
  unknown: Set<string>,
): Batches & AsyncGenerator<readonly MappedRow[]> {
  for await (const batch of batches) {
    yield batch.map((row) => {
      if (row.body === undefined || create.body === undefined) return row;
      const found = check(create.body, row.body);
      for (const { field } of found.unknown) unknown.add(field.replace(/\[\d+\]/g, '[]'));
      const [issue] = found.issues;
      if (issue !== undefined) return { ...row, body: undefined, problem: issue };
      return { ...row, body: found.value as Readonly<Record<string, unknown>> };
    });
  }
}

/** The kept copy of standard input has served once its rows are in the journal, or none will be. */
export function removeSpool(
  { path, original = path }: Pick<Source, 'path' | 'original'>,
  folder: string,
): void {
  for (const file of [path, original]) {
    if (file.startsWith(folder)) rmSync(file, { force: true });
  }
}

/** The contract does not say whether a name is required; in a file, its absence is a warning. */
class Nameless {
  readonly #field: string | undefined;
  readonly #isMapped: boolean;
  readonly #first: number[] = [];
  #count = 0;

  constructor({ listing }: ImportTarget, { fields }: Mapping) {
    this.#field = listing?.nameField;
    this.#isMapped = this.#field !== undefined && fields[this.#field] !== undefined;
  }

  observe({ row, body }: MappedRow): void {
    if (this.#field === undefined || body === undefined || body[this.#field] !== undefined) return;
    if (this.#count++ < 10) this.#first.push(row);
  }

  warnings(): string[] {
    if (this.#count === 0) return [];
    const field = this.#field;
    if (!this.#isMapped) {
      const rows =
        this.#count === 1 ? 'the row has none' : `none of the ${this.#count} rows has one`;
      return [`no column is taken for ${field}: ${rows} (--map ${field}=COLUMN)`];
    }
    const have = rowsIn(this.#count, 'row has', 'rows have');
    const rows = `${this.#first.join(', ')}${this.#count > this.#first.length ? ', …' : ''}`;
    return [`${have} no ${field}: ${rows}`];
  }
}
