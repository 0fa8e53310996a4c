import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { eachOf, type Problem, storedProblem, together } from '../../core/row-problem.ts';
import { digestOf, keyOf } from '../../ledger/rows.ts';
import type { Draft, DraftRow } from '../draft/draft.ts';
import { currencyCheck } from '../map/compile.ts';
import { makeResolver } from '../map/resolve-references.ts';
import type { Planning, Staged } from '../plan/plan.ts';
import { countIn } from '../report/words.ts';
import type { MappedRow } from '../source/record.ts';
import { shapeOf } from '../targets/import-target.ts';
import { BodyChecker, RowReader } from './check-row.ts';
import { groupRows } from './group-rows.ts';
import { type Locate, locator } from './locate.ts';

/**
 * Reads, maps and checks the source, into the draft.
 *
 * @throws ProcError `invalid_input` if the file as a whole cannot be imported
 */
export async function stageDraft(draft: Draft, planning: Planning, ctx: Context): Promise<Staged> {
  const { target, source, mapping, groupBy, options, progress } = planning;
  const shape = shapeOf(target, groupBy);
  const reader = new RowReader(planning, shape);
  async function* rows(next: (row: MappedRow) => MappedRow): Batches {
    for await (const records of source.records())
      yield records.map((record) => next(reader.read(record)));
  }
  const all = () => rows((row) => row);
  const resolver = await makeResolver(shape, mapping, all, options.patienceMs, ctx);
  const withCurrency = currencyCheck(shape, mapping);
  const checked = rows((row) => {
    const found = reader.check(row);
    return withCurrency(resolver === undefined ? found : resolver.resolve(found));
  });
  const locate = locator({ groupBy, mapping }, source.format, target);
  const whole =
    groupBy === undefined
      ? checked
      : groupRows(checked, {
          ...{ column: groupBy, assemble: target.grouped!.assemble, locate },
        });
  const bodies = new BodyChecker(target);
  const digest = createHash('sha256').update(target.noun);
  let count = 0;
  for await (const batch of whole) {
    const pending: string[] = [];
    for (const row of batch) {
      const drafted = draftRowOf(checkedBody(row, bodies, locate), planning);
      draft.add(drafted, json(row.lines));
      if (drafted.state === 'pending') pending.push(drafted.body!);
      count++;
    }
    digest.update(pending.map((body) => `\n${body}`).join(''));
    progress.step(`Reading: ${countIn({ groupBy }, count)}`, {
      step: 'read',
      rows: count,
    });
    ctx.signal.throwIfAborted();
  }
  progress.finish();
  for (const text of bodies.warnings()) ctx.io.say({ kind: 'warning', text });
  return {
    digest: digest.digest('hex').slice(0, DIGEST_LENGTH),
    findings: reader.findings(),
    orders: resolver?.orders ?? {},
  };
}

/** People copy it from one command to the next. */
const DIGEST_LENGTH = 32;

type Batches = AsyncIterable<readonly MappedRow[]>;

/** A row has a body or problems. Each problem names the column and the line. */
function checkedBody(row: MappedRow, bodies: BodyChecker, locate: Locate): MappedRow {
  const { body, problem } = row;
  const own = problem === undefined ? undefined : locate(problem, row);
  if (body === undefined) return { ...row, problem: own };
  const said = own === undefined ? [] : eachOf(own);
  const found = bodies.check(body, (one) => {
    const { field, place } = locate(one, row);
    return said.some((other) => other.field === field && other.place?.row === place?.row);
  });
  const all = together([own, found.problem && locate(found.problem, row)]);
  return { ...row, body: all === undefined ? found.body : undefined, problem: all };
}

/** A NUL, or half a character, which a database stores as another text or not at all. */
const UNWRITABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;
const NOT_WRITABLE: Problem = {
  text: 'a text contains a NUL (\\u0000) or half a character (\\ud800 to \\udfff)',
};

function draftRowOf(row: MappedRow, { target, choices }: Planning): DraftRow {
  const { row: number, line = null, body } = row;
  const common = { row: number, line, body: json(body), source: sourceOf(row) };
  const isWritable = common.body === null || !UNWRITABLE.test(common.body);
  const problem = row.problem ?? (isWritable ? undefined : NOT_WRITABLE);
  if (body === undefined || problem !== undefined) {
    const reason = storedProblem(problem!);
    return { ...common, state: 'rejected', key: null, digest: null, reason };
  }
  const { noun, listing, create } = target;
  const key = keyOf(noun, body, choices.key);
  // A code identifies a row of a noun with a list; otherwise the key of the noun does, and all its values.
  const isCode = listing !== undefined && key !== null;
  const digest = isCode ? null : digestOf(create.method, create.path, body);
  const { code: sent } = body as { readonly code?: unknown };
  const code = isCode && typeof sent === 'string' && sent !== key ? sent : null;
  return { ...common, state: 'pending', key, code, digest, reason: null };
}

/** Null if the body has all values. */
function sourceOf({ own, body }: MappedRow): string | null {
  return body === undefined || Array.isArray(own) ? json(own) : null;
}

function json(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
