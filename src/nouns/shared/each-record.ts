import type { Context } from '../../context.ts';
import { documentedFields, type EndpointSpec } from '../../core/endpoint.ts';
import { EXIT, type ExitCode, ProcError } from '../../core/errors.ts';
import { textOf } from '../../core/numbers.ts';
import type { Column, RecordResult, Result, Row } from '../../core/result.ts';
import { pathSegment } from '../../http/request.ts';
import { readText } from './body.ts';

/** After these errors, every further record would fail in the same way. */
const ENDING: ReadonlySet<string> = new Set(['interrupted', 'confirmation_required', 'declined']);

export interface Each {
  /** As typed; `-` stands for the references on standard input, one per line. */
  readonly refs: readonly string[];
  readonly columns: readonly Column[];
  /** The endpoint that reads the records, for the fields that they may have. */
  readonly reads?: EndpointSpec;
  /** Of a write: called before any request, with the first typed reference and the number of other references. */
  readonly begin?: (first: string, others: number) => Promise<void>;
  /** Looks up all references at once. The record that a reference means has at least its id. */
  readonly resolve: (refs: readonly string[]) => Promise<(ref: string) => Row>;
}

/**
 * Runs an action for each record. With several, proc reports most failures and continues. At the end it exits with the
 * highest exit code.
 *
 * @param one the action; it makes its result with `record`
 */
export async function eachRecord(
  ctx: Context,
  { refs, columns, reads, begin, resolve }: Each,
  one: (id: string, known: Row, record: (value: Row) => RecordResult) => Promise<RecordResult>,
): Promise<Result> {
  const fields = reads && documentedFields(reads);
  const record = (value: Row): RecordResult => ({ kind: 'record', columns, fields, value });
  const typed = await expand(ctx, refs);
  if (typed.length > 0) await begin?.(typed[0]!, typed.length - 1);
  // The first change may alter what a later reference means.
  const meant = await resolve(typed);
  const idOf = (known: Row) => textOf(known.id) ?? '';
  // One typed word gives a record; several give a list, even if all of them name the same record.
  if (refs.length === 1 && refs[0] !== '-') {
    const known = meant(refs[0]!);
    return one(idOf(known), known, record);
  }
  // A wrong reference of a write ends it before anything is sent, as exit code 2 promises.
  if (begin !== undefined) for (const ref of typed) pathSegment('id', idOf(meant(ref)));
  // Two references may mean one record, which is not sent again if its first outcome is unknown.
  const tried = new Set<string>();
  const done: RecordResult[] = [];
  let reportedExit: ExitCode = EXIT.done;
  for (const ref of typed)
    try {
      const known = meant(ref);
      const id = idOf(known);
      if (tried.has(id || ref)) continue;
      tried.add(id || ref);
      done.push(await one(id, known, record));
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      if (ENDING.has(thrown.code)) {
        if (done.length === 0) throw thrown;
        const failure = thrown.code === 'declined' ? stopped(done.length, typed.length) : thrown;
        return { ...joined(done, columns), failure };
      }
      ctx.io.complain(thrown);
      if (thrown.exitCode > reportedExit) reportedExit = thrown.exitCode;
    }
  return { ...joined(done, columns), reportedExit };
}

function stopped(done: number, all: number): ProcError {
  return new ProcError('incomplete', `${done} of ${all} done; the others were not sent`, {
    hint: 'The output has those that are done',
  });
}

function joined(records: readonly RecordResult[], columns: readonly Column[]) {
  return {
    kind: 'rows',
    // In a preview, the records are requests, which have other columns.
    columns: records[0]?.columns ?? columns,
    fields: records[0]?.fields ?? [],
    rows: records.map(({ value }) => value),
    isSaid: records.length > 0 && records.every(({ isSaid }) => isSaid === true),
    empty: 'None.',
  } as const;
}

async function expand(ctx: Context, refs: readonly string[]): Promise<string[]> {
  if (refs.filter((ref) => ref === '-').length > 1) {
    const message = '- is given twice, but standard input can be read only once';
    throw new ProcError('invalid_usage', message, { hint: 'Use - once.' });
  }
  const piped = refs.includes('-') ? await readText(ctx, '-') : '';
  const lines = piped.split(/\r?\n/).map((line) => line.trim());
  const typed = refs.flatMap((ref) => (ref === '-' ? lines.filter(Boolean) : ref));
  return [...new Set(typed)];
}
