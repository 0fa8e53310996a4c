import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import { storedProblem, together } from '../../core/row-problem.ts';
import { grouped } from '../../core/text/decimal.ts';
import { patientReader } from '../../listing/list-reader.ts';
import { findCodes } from '../../listing/search-codes.ts';
import { listItems } from '../../nouns/items/index.ts';
import {
  countLines,
  type Definition,
  decide,
  definedTwice,
  definitionsIn,
  type LineCounts,
  NO_LINES,
  resolveLines,
  type WithLines,
} from '../../nouns/shared/items-in-place.ts';
import { locator } from '../check/locate.ts';
import type { Draft } from '../draft/draft.ts';
import { importPatience } from '../patient-reads.ts';
import type { ItemsPlan, Planning } from './plan.ts';

/** The items that lines of pending rows define, by code, and the existing items with these codes. */
const TABLES = `
CREATE TABLE defined (code TEXT PRIMARY KEY, lines INTEGER NOT NULL, row INTEGER NOT NULL);
CREATE TABLE known (code TEXT NOT NULL, id TEXT NOT NULL, name TEXT, PRIMARY KEY (code, id)) WITHOUT ROWID`;

/** Items that several lines define, and that do not exist. */
const SHARED =
  'FROM defined WHERE lines > 1 AND NOT EXISTS (SELECT 1 FROM known WHERE known.code = defined.code)';

const DEFINING = `state = 'pending' AND instr(body, '"item":{') > 0`;
const LISTED_CODES = 20;
const CONNECTIONS = 4;

type ItemsPlanning = Pick<Planning, 'target' | 'mapping' | 'groupBy' | 'options' | 'progress'> & {
  readonly source: Pick<Planning['source'], 'name' | 'path' | 'format'>;
};

/**
 * Decides which lines refer to an existing item instead of defining one, and which rows are rejected. Rows are compared
 * with the ledger by the bodies of the file, so this comes later.
 */
export async function planItems(
  draft: Draft,
  planning: ItemsPlanning,
  ctx: Context,
): Promise<ItemsPlan> {
  const { database } = draft;
  const { progress } = planning;
  database.exec(TABLES);
  collect(draft);
  const codes = Number(database.prepare('SELECT count(*) AS n FROM defined').get()!.n);
  const planned = (isLookedUp: boolean, refusal?: ProcError): ItemsPlan => ({
    counts: countedLines(draft),
    isLookedUp,
    refusal,
  });
  if (codes === 0) return planned(true);
  if (!(await ctx.http().canRead())) return planned(false);
  progress.step(`Looking up ${codes === 1 ? '1 item code' : `${grouped(codes)} item codes`}`, {
    step: 'plan',
    count: codes,
  });
  const isKnown = await lookUp(draft, codes, planning, ctx);
  progress.finish();
  if (!isKnown) return planned(true, unverified(codes));
  const refusal = definedTwiceIn(draft);
  resolveRows(draft, planning);
  return planned(true, refusal);
}

function collect({ database }: Draft): void {
  const define = database.prepare(
    'INSERT INTO defined VALUES (?, 1, ?) ON CONFLICT (code) DO UPDATE SET lines = lines + 1',
  );
  const rows = database.prepare(`SELECT row, body FROM draft WHERE ${DEFINING} ORDER BY row`);
  for (const { row, body } of rows.iterate())
    for (const item of definitionsIn(JSON.parse(body as string) as WithLines))
      define.run(item.code!, row!);
}

function countedLines(draft: Draft): LineCounts {
  let counts = NO_LINES;
  for (const { body } of draft.rows('pending'))
    counts = countLines(JSON.parse(body!) as WithLines, counts);
  return counts;
}

/** @returns false if codes may exist that were not found */
async function lookUp(
  { database }: Draft,
  size: number,
  { groupBy, options }: ItemsPlanning,
  ctx: Context,
): Promise<boolean> {
  const sender = await ctx.http().sender(CONNECTIONS);
  const read = patientReader(sender, importPatience(ctx, options.patienceMs));
  const has = database.prepare('SELECT 1 FROM defined WHERE code = ?');
  const all = database.prepare('SELECT code FROM defined');
  const know = database.prepare('INSERT OR IGNORE INTO known VALUES (?, ?, ?)');
  const wanted = {
    size,
    has: (code: string) => has.get(code) !== undefined,
    all: () => all.all().map(({ code }) => code as string),
    // With flat rows, the column of codes may contain ids.
    mayBeIds: groupBy !== undefined,
  };
  return findCodes(listItems, wanted, { target: sender.target, read }, (code, { id, name }) => {
    know.run(code, id, name ?? null);
  });
}

function unverified(codes: number): ProcError {
  return new ProcError(
    'catalogue_unverified',
    `the list of items may be incomplete, so proc cannot tell whether ${codes === 1 ? '1 item' : `${codes} items`} defined in place already ${codes === 1 ? 'exists' : 'exist'}; nothing was sent`,
    {
      hint: 'Detect the parameter names: proc doctor. To use existing items, refer to them by itemId',
    },
  );
}

function definedTwiceIn({ database }: Draft): ProcError | undefined {
  const first = database.prepare(`SELECT code ${SHARED} ORDER BY row LIMIT ${LISTED_CODES}`).all();
  if (first.length === 0) return undefined;
  const { n } = database.prepare(`SELECT count(*) AS n ${SHARED}`).get()!;
  const codes = first.map(({ code }) => code as string);
  return definedTwice(codes, Number(n));
}

function resolveRows(draft: Draft, { groupBy, mapping, source, target }: ItemsPlanning): void {
  const { database } = draft;
  const known = database.prepare('SELECT id, name FROM known WHERE code = ? ORDER BY id');
  const lines = database.prepare('SELECT lines FROM defined WHERE code = ?');
  const decideOn = (item: Definition) => {
    const code = item.code!;
    const found = known.all(code) as { id: string; name: string | null }[];
    return decide(item, {
      found: found.map(({ id, name }) => ({ id, code, name: name ?? undefined })),
      lines: Number(lines.get(code)?.lines ?? 1),
    });
  };
  const locate = locator({ groupBy, mapping }, source.format, target);
  const rows = database.prepare(
    `SELECT row, line, body, places FROM draft LEFT JOIN places USING (row) WHERE row > ? AND ${DEFINING} ORDER BY row LIMIT 1`,
  );
  // Keeps the original record for the file of rejected rows.
  const replace = database.prepare(
    'UPDATE draft SET source = coalesce(source, body), body = ? WHERE row = ?',
  );
  for (let at = 0; ; ) {
    const found = rows.get(at);
    if (found === undefined) return;
    at = Number(found.row);
    const body = JSON.parse(found.body as string) as WithLines;
    const { payload, refused } = resolveLines(body, decideOn);
    const places = found.places === null ? undefined : JSON.parse(found.places as string);
    const place = { row: at, line: found.line as number | null, places };
    const reason = together(
      refused.map(({ field, reason: problem }) => locate({ ...problem, field }, place)),
    );
    if (reason !== undefined) draft.reject(at, storedProblem(reason));
    else if (payload !== body) replace.run(JSON.stringify(payload), at);
  }
}
