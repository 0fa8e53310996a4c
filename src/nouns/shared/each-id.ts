import type { Context } from '../../context.ts';
import { documentedFields, type EndpointSpec } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import type {
  Column,
  RecordResult,
  Result,
  Row,
  RowsResult,
  ShownRequest,
  TextResult,
} from '../../core/result.ts';
import { pathSegment } from '../../http/request.ts';
import { readText } from './read-text.ts';

/** After these errors, every further id would fail in the same way. */
const ENDING: ReadonlySet<string> = new Set(['interrupted', 'confirmation_required', 'declined']);

export interface Each {
  /** As typed; `-` stands for the ids on standard input, one per line. */
  readonly refs: readonly string[];
  readonly columns: readonly Column[];
  /** The endpoint that reads the records, for the fields that they may have. */
  readonly reads?: EndpointSpec;
  /** Of a write: called before any request, with the first typed reference and the number of other references. */
  readonly begin?: (first: string, others: number) => Promise<void>;
  /** Looks up all references at once, and returns a function from reference to id. */
  readonly resolve?: (refs: readonly string[]) => Promise<(ref: string) => string>;
}

/**
 * Runs an action for each id. With several ids, proc reports most failures and continues. At the end it
 * exits with the highest exit code.
 *
 * @param one the action; it makes its result with `record`
 */
export async function eachId(
  ctx: Context,
  { refs, columns, reads, begin, resolve = async () => (ref) => ref }: Each,
  one: (id: string, record: (value: Row) => RecordResult) => Promise<ShownRequest>,
): Promise<Result> {
  const fields = reads && documentedFields(reads);
  const record = (value: Row): RecordResult => ({ kind: 'record', columns, fields, value });
  const typed = await expand(ctx, refs);
  if (typed.length > 0) await begin?.(typed[0]!, typed.length - 1);
  // One typed word gives a record; several give a list, even if all of them name the same record.
  if (refs.length === 1 && refs[0] !== '-') {
    return one((await resolve(typed))(refs[0]!), record);
  }
  let reportedExit: ExitCode = EXIT.done;
  const collect = async <T>(from: Iterable<string>, work: (ref: string) => Promise<T>) => {
    const results: T[] = [];
    for (const ref of from) {
      try {
        results.push(await work(ref));
      } catch (thrown) {
        if (!(thrown instanceof ProcError) || ENDING.has(thrown.code)) throw thrown;
        ctx.io.complain(thrown);
        if (thrown.exitCode > reportedExit) reportedExit = thrown.exitCode;
      }
    }
    return results;
  };
  // Resolve all references first: the first change may alter what a later reference means.
  const idOf = await resolve(typed);
  // A wrong reference of a write ends it before anything is sent, as exit code 2 promises.
  const checked = (ref: string): string => {
    const id = idOf(ref);
    pathSegment('id', id);
    return id;
  };
  const ids = new Set(
    begin === undefined ? await collect(typed, async (ref) => idOf(ref)) : typed.map(checked),
  );
  return { ...joined(await collect(ids, (id) => one(id, record)), columns), reportedExit };
}

function joined(
  results: readonly ShownRequest[],
  columns: readonly Column[],
): RowsResult | TextResult {
  const records = results.filter((result) => result.kind === 'record');
  const texts = results.filter((result) => result.kind === 'text');
  if (texts.length > 0) return { kind: 'text', text: texts.map(({ text }) => text).join('') };
  return {
    kind: 'rows',
    // In a preview, the records are requests, which have other columns.
    columns: records[0]?.columns ?? columns,
    fields: records[0]?.fields ?? [],
    rows: distinct(records.map(({ value }) => value)),
    isSaid: records.length > 0 && records.every(({ isSaid }) => isSaid === true),
    empty: 'None.',
  };
}

function distinct(rows: readonly Row[]): readonly Row[] {
  const byId = new Map(rows.map((row): [unknown, Row] => [row.id ?? row, row]));
  return [...byId.values()];
}

async function expand(ctx: Context, refs: readonly string[]): Promise<string[]> {
  if (!refs.includes('-')) return [...new Set(refs)];
  if (refs.filter((ref) => ref === '-').length > 1) {
    throw new ProcError(
      'invalid_usage',
      '- is given twice, but standard input can be read only once',
      {
        hint: 'Use - once.',
      },
    );
  }
  const piped = (await readText(ctx, '-'))
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return [...new Set(refs.flatMap((ref) => (ref === '-' ? piped : [ref])))];
}
