import type { Context } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { findCodes } from '../../listing/find-codes.ts';
import { patientReader } from '../../listing/patient-reader.ts';
import { listItems } from '../../nouns/items/api.ts';
import type { CatalogueItem } from '../../nouns/shared/catalogue.ts';
import {
  type CodeUse,
  type Decision,
  type Definition,
  decide,
  definitionsIn,
  type LineCounts,
  resolveLines,
} from '../../nouns/shared/lines/items-in-place.ts';
import type { Journal } from '../ledger/journal.ts';
import { createFirst } from '../report/items-file.ts';
import type { Progress } from '../report/progress.ts';
import { rowsIn } from '../report/words.ts';
import { ITEM_IMPORT } from '../targets/item-import.ts';
import type { CatalogueChecks } from './catalogue/baseline.ts';
import { keepLearned, probeList } from './catalogue/learn-list.ts';
import { senderFor } from './catalogue/open-listing.ts';
import { bodiesIn, countOrderLines } from './order-lines.ts';

/** Codes of shared items that an error carries. */
const TOLD = 20;

/** On the disk, so that memory stays bounded whatever the file defines. */
const TABLES = `
DROP TABLE IF EXISTS defined; DROP TABLE IF EXISTS known;
CREATE TEMP TABLE defined (
  code TEXT PRIMARY KEY, lines INTEGER NOT NULL, row INTEGER NOT NULL, item TEXT NOT NULL, differs INTEGER NOT NULL
) STRICT;
CREATE TEMP TABLE known (
  code TEXT NOT NULL, id TEXT NOT NULL, name TEXT, PRIMARY KEY (code, id)
) STRICT, WITHOUT ROWID`;

/** What the rule for items defined in place made of the rows that are to be sent. */
export interface ItemsPlan {
  readonly counts: LineCounts;
  /** Whether the catalogue was read; a dry run may have no key. */
  readonly isLookedUp: boolean;
  /** Why nothing may be sent. */
  readonly refusal: ProcError | undefined;
}

/**
 * Applies the rule for items defined in place to every pending row: lines whose item exists refer to it,
 * rows that the rule refuses are rejected. It comes after rows that were sent before have been found, as
 * those are recognized by their body as the file has it; it can be repeated, before a run is resumed.
 */
export async function settleItemsInPlace(
  journal: Journal,
  options: Reading,
  ctx: Context,
  progress: Progress,
): Promise<ItemsPlan> {
  journal.note({ ordersLines: true });
  journal.database.exec(TABLES);
  try {
    collect(journal);
    const codes = count(journal, 'SELECT count(*) AS n FROM defined');
    if (codes === 0) return plan(journal, true);
    const target = await ctx.target();
    const mayRead = !ctx.previewing || (!ctx.globals.offline && target.credential !== undefined);
    if (!mayRead) return plan(journal, false);
    progress.step(`Looking up ${rowsIn(codes, 'item code')}`, { step: 'plan', count: codes });
    if (!(await isFound(journal, codes, options, ctx, progress))) {
      return plan(journal, true, unverified(journal, codes));
    }
    const shared = sharedItems(journal, ctx);
    const rejected = apply(journal);
    return plan(journal, true, shared ?? tooMany(journal, rejected, ctx));
  } finally {
    journal.database.exec('DROP TABLE IF EXISTS defined; DROP TABLE IF EXISTS known');
  }
}

function plan(journal: Journal, isLookedUp: boolean, refusal?: ProcError): ItemsPlan {
  return { counts: countOrderLines(journal, 'pending'), isLookedUp, refusal };
}

const DEFINING = `state = 'pending' AND instr(body, '"item":{') > 0`;

function collect(journal: Journal): void {
  const note = journal.database.prepare(
    'INSERT INTO defined VALUES (?, 1, ?, ?, 0) ON CONFLICT (code) DO UPDATE SET lines = lines + 1, differs = differs OR item <> excluded.item',
  );
  for (const batch of bodiesIn(journal, DEFINING)) {
    journal.step(() => {
      for (const { row, body } of batch) {
        for (const item of definitionsIn(body)) note.run(item.code!, row, JSON.stringify(item));
      }
    });
  }
  journal.endSteps();
}

interface Reading {
  readonly patienceMs: number;
  readonly checks: Pick<CatalogueChecks, 'learn'>;
}

/**
 * Looks all codes up; if the list cannot be read to a verified end, once more with the parameter names
 * that are found.
 *
 * @returns whether the end was verified
 */
async function isFound(
  journal: Journal,
  codes: number,
  { patienceMs, checks }: Reading,
  ctx: Context,
  progress: Progress,
): Promise<boolean> {
  if (await lookUp(journal, codes, patienceMs, ctx)) return true;
  const probed = await probeList(ITEM_IMPORT, ctx, progress);
  if (probed.learned === undefined) return false;
  if (probed.words !== '') {
    const text = `found the parameter names of the list of items: ${probed.words}. They are used for this run`;
    ctx.say({ kind: 'notice', text });
  }
  journal.note({ learned: probed.learned });
  journal.database.exec('DELETE FROM known');
  if (!(await lookUp(journal, codes, patienceMs, ctx))) return false;
  await keepLearned(probed, checks.learn, ctx);
  return true;
}

/** @returns whether the list was read to its verified end */
async function lookUp(
  journal: Journal,
  codes: number,
  patienceMs: number,
  ctx: Context,
): Promise<boolean> {
  const { database } = journal;
  const { clock, signal, globals } = ctx;
  const isWanted = database.prepare('SELECT 1 FROM defined WHERE code = ?');
  const note = database.prepare('INSERT OR IGNORE INTO known VALUES (?, ?, ?)');
  const sender = await senderFor(ITEM_IMPORT, journal, ctx, 4);
  const takesSort = journal.get('learned')?.takesSort;
  const read = patientReader(sender, {
    clock,
    signal,
    retries: globals.retries,
    patienceMs,
  });
  const wanted = {
    size: codes,
    has: (code: string) => isWanted.get(code) !== undefined,
    all: () =>
      database
        .prepare('SELECT code FROM defined')
        .all()
        .map((row) => row.code as string),
    // In flat rows a column of codes may hold ids, as it may without a name.
    mayBeIds: journal.header.groupBy !== undefined,
  };
  return findCodes(
    listItems,
    wanted,
    { target: sender.target, read, takesSort },
    (code, { id, name }) => note.run(code, id, name ?? null),
  );
}

function unverified(journal: Journal, codes: number): ProcError {
  const isBegun = journal.phase === 'sending';
  return new ProcError(
    isBegun ? 'incomplete' : 'catalogue_unverified',
    `cannot verify that the list of items is complete, so proc cannot tell which of ${rowsIn(codes, 'item code')} that lines define exist; nothing was sent`,
    {
      hint: 'Find the parameter names of this service: proc doctor --learn. Or refer to existing items by itemId',
    },
  );
}

function sharedItems(journal: Journal, ctx: Context): ProcError | undefined {
  const { database, header } = journal;
  const shared =
    'FROM defined WHERE lines > 1 AND NOT EXISTS (SELECT 1 FROM known WHERE known.code = defined.code)';
  const n = count(journal, `SELECT count(*) AS n ${shared}`);
  if (n === 0) return undefined;
  const isPiped = header.source.name === 'standard input';
  return createFirst(
    {
      count: n,
      first: database
        .prepare(`SELECT code, lines ${shared} ORDER BY row LIMIT ${TOLD}`)
        .all() as unknown as { code: string; lines: number }[],
      differing: database
        .prepare(`SELECT code ${shared} AND differs ORDER BY row LIMIT ${TOLD}`)
        .all()
        .map(({ code }) => code as string),
      *items() {
        for (const { item } of database.prepare(`SELECT item ${shared} ORDER BY row`).iterate()) {
          yield JSON.parse(item as string) as Definition;
        }
      },
      source: isPiped ? undefined : header.source.path,
    },
    ctx,
  );
}

/** @returns how many rows the rule rejected */
function apply(journal: Journal): number {
  const { database, header } = journal;
  const codeUse = codeUses(journal);
  const decideOn = (item: Definition): Decision =>
    decide(item, codeUse(item.code!), header.choices.itemsInPlace);
  // What the file had stays: rejected rows come back as they were written.
  const replace = database.prepare(
    'UPDATE records SET fields = coalesce(fields, body), body = ? WHERE row = ?',
  );
  const reject = database.prepare("UPDATE rows SET state = 'rejected', reason = ? WHERE row = ?");
  let rejected = 0;
  for (const batch of bodiesIn(journal, DEFINING)) {
    journal.commit(() => {
      for (const { row, body } of batch) {
        const { payload, refused } = resolveLines(body, decideOn);
        const [first] = refused;
        if (first !== undefined) {
          rejected++;
          const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : '';
          reject.run(`${first.field}: ${first.reason}${more} (--items-in-place)`, row);
        } else if (payload !== body) replace.run(JSON.stringify(payload), row);
      }
    });
  }
  return rejected;
}

function codeUses({ database }: Journal): (code: string) => CodeUse {
  const lines = database.prepare('SELECT lines FROM defined WHERE code = ?');
  const known = database.prepare('SELECT id, name FROM known WHERE code = ? ORDER BY id');
  return (code) => ({
    found: known.all(code).map(
      ({ id, name }): CatalogueItem => ({
        id: id as string,
        code,
        name: (name as string | null) ?? undefined,
      }),
    ),
    lines: Number(lines.get(code)?.lines ?? 1),
  });
}

/** The limits of staging, for rows that only the catalogue showed to be wrong. */
function tooMany(journal: Journal, rejected: number, ctx: Context): ProcError | undefined {
  const { failFast, maxErrors } = journal.header.choices;
  const most = failFast ? 0 : maxErrors;
  if (rejected === 0 || most === undefined || journal.counts().rejected <= most) return undefined;
  const row = journal.database
    .prepare("SELECT row, reason FROM rows WHERE state = 'rejected' ORDER BY row LIMIT 1 OFFSET ?")
    .get(most)!;
  const flag = failFast ? '--fail-fast' : `more than --max-errors ${most}`;
  const unlimited = ctx.typed.filter((word) => !['--fail-fast', '--dry-run'].includes(word));
  return new ProcError(
    'invalid_input',
    `${journal.header.source.name}, row ${row.row}: ${row.reason} (${flag}); nothing was sent`,
    {
      hint: `See all of them in the plan: ${typedAgain(unlimited, ['--dry-run'], ['--max-errors'])}`,
    },
  );
}

function count({ database }: Journal, query: string): number {
  return Number(database.prepare(query).get()!.n);
}
