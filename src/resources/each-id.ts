import type { Context } from '../core/command.ts';
import { ProcError } from '../core/errors.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import type { Column, RecordResult, Result, Row } from '../core/result.ts';
import { untilAborted } from '../core/until-aborted.ts';

/** Standard input holds ids, not data: more than this is a mistake. */
const MOST_BYTES = 16 << 20;

/** Errors that end a command, whatever ids are still to come: the next id would meet the same. */
const ENDING: ReadonlySet<string> = new Set(['interrupted', 'terminated', 'confirmation_required']);

/**
 * Does the same for each id. One id behaves as if there were no others; of several all are tried,
 * each failure is told when it happens, and the highest exit code wins (design part 3).
 *
 * @param refs as typed; `-` stands for the ids on standard input, one per line.
 */
export async function eachId(
  ctx: Context,
  refs: readonly string[],
  columns: readonly Column[],
  one: (ref: string) => Promise<Row>,
): Promise<Result> {
  const ids = await expand(ctx, refs);
  if (ids.length === 1 && !refs.includes('-')) return record(columns, await one(ids[0]!));
  const rows: Row[] = [];
  let exitCode: ExitCode = EXIT.done;
  for (const id of ids) {
    try {
      rows.push(await one(id));
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || ENDING.has(thrown.code)) throw thrown;
      ctx.complain(thrown);
      if (thrown.exitCode > exitCode) exitCode = thrown.exitCode;
    }
  }
  return { kind: 'rows', columns, rows, empty: 'None.', exitCode };
}

function record(columns: readonly Column[], value: Row): RecordResult {
  return { kind: 'record', columns, value };
}

async function expand(ctx: Context, refs: readonly string[]): Promise<string[]> {
  if (!refs.includes('-')) return [...new Set(refs)];
  if (refs.filter((ref) => ref === '-').length > 1) {
    throw new ProcError('invalid_usage', '- stands for standard input, which can be read once', {
      hint: 'Give - once.',
    });
  }
  const piped = await untilAborted(idsOn(ctx), ctx.signal);
  return [...new Set(refs.flatMap((ref) => (ref === '-' ? piped : [ref])))];
}

async function idsOn({ streams }: Context): Promise<string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of streams.stdin as AsyncIterable<Buffer | string>) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > MOST_BYTES) {
      throw new ProcError(
        'invalid_input',
        'standard input is larger than 16 MiB, expected ids, one per line',
        {
          hint: 'For instance: proc sectors list -o id | proc sectors get -',
        },
      );
    }
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
