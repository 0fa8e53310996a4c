import type { Context } from '../core/command.ts';
import { ProcError } from '../core/errors.ts';
import type { ImportTarget } from '../resources/import-target.ts';
import { listingFor } from './catalogue/open.ts';
import type { Journal } from './journal/journal.ts';
import { eachRun, importsFolder } from './journal/runs.ts';
import { scopeOfRun, whoseRun } from './journal/whose.ts';
import type { Listed } from './listing/page.ts';
import { scan } from './listing/scan.ts';
import { Search } from './listing/search.ts';
import { checkDestination } from './resume-run.ts';
import { resumeCommand } from './send-run.ts';

/** Rows that fit which a message names. */
const NAMED = 5;

/** The row that is said to have become something. */
export interface Adopting {
  readonly row: number;
  readonly code: string | null;
  /** JSON text. */
  readonly body: string;
}

/** What the live list says of an id, and of the row that is to have it. */
interface Seen {
  /** The row with this id; undefined where there is none. */
  readonly listed: Listed | undefined;
  /** All that may be the row, by their codes. */
  readonly alike: readonly string[];
  readonly isComplete: boolean;
}

/**
 * An id that a person names for a row in doubt must be one that the row can have: it is in the live
 * list, it was not there before the run, and nothing else that was created from here has it.
 *
 * @throws ProcError `reference_not_found`, `invalid_usage`: why not, and what fits instead
 */
export async function checkAdoption(
  journal: Journal,
  target: ImportTarget,
  doubt: Adopting,
  id: string,
  ctx: Context,
): Promise<void> {
  const holder = await holderOf(id, journal, target, ctx);
  if (target.listing === undefined) {
    if (holder !== undefined) throw new ProcError('invalid_usage', `${id} is ${holder} already`);
    ctx.say({
      kind: 'notice',
      text: `${target.many} cannot be listed: that ${id} is there was not checked`,
    });
    return;
  }
  await checkDestination(journal, ctx, 'resolve');
  const seen = await lookFor(id, doubt, target, journal, ctx);
  const why =
    holder !== undefined ? `${id} is ${holder} already` : whyNot(id, doubt, seen, journal);
  if (why !== undefined) {
    const fitting: string[] = [];
    for (const one of seen.alike) {
      if (one === id || isOlder(one, journal)) continue;
      if ((await holderOf(one, journal, target, ctx)) === undefined) fitting.push(one);
    }
    const resolve = resumeCommand(journal, ctx).replace(' resume ', ' resolve ');
    throw refused(why, doubt, fitting, seen.isComplete, resolve, target);
  }
  const unproved = [
    ...(seen.listed === undefined
      ? [`the list could not be read to a proved end: that ${id} is there was not seen`]
      : []),
    ...(journal.get('baseline') === 'unproved'
      ? [`the list was not known before this run: that ${id} is new cannot be proved`]
      : []),
  ];
  for (const text of unproved) ctx.say({ kind: 'warning', text });
}

/** What else has this id, in words; created from here, by this run, another one or a single command. */
async function holderOf(
  id: string,
  journal: Journal,
  target: ImportTarget,
  ctx: Context,
): Promise<string | undefined> {
  const { run } = journal.header;
  const scope = await scopeOfRun(journal, ctx);
  const own = rowWith(id, journal);
  if (own !== undefined) return `row ${own} of this run`;
  const [other] = eachRun(importsFolder(ctx.env), (one) => {
    const { header } = one;
    if (header.run === run || header.noun !== target.noun) return;
    if (!['ours', 'unrecorded'].includes(whoseRun(one, scope))) return;
    const row = rowWith(id, one);
    return row === undefined ? undefined : `row ${row} of the run ${header.run}`;
  });
  if (other !== undefined) return other;
  const entry = (await ctx.history()).creatorOf(scope, target.create.id, id);
  return entry === undefined ? undefined : `what the command ${entry} of history created`;
}

function rowWith(id: string, { database }: Journal): unknown {
  return database.prepare("SELECT row FROM rows WHERE id = ? AND state = 'created'").get(id)?.row;
}

/** Was there before the first request of the run. */
function isOlder(id: string, { database }: Journal): boolean {
  return database.prepare('SELECT 1 FROM catalogue WHERE id = ?').get(id) !== undefined;
}

async function lookFor(
  id: string,
  doubt: Adopting,
  target: ImportTarget,
  journal: Journal,
  ctx: Context,
): Promise<Seen> {
  const listing = await listingFor(target, journal, ctx);
  const { code } = doubt;
  if (code !== null) {
    const search = new Search(listing);
    const found = (await search.isUsable()) ? await search.find(code) : undefined;
    if (found?.kind === 'proved' && found.ids.includes(id)) {
      return { listed: { id, code, name: null }, alike: found.ids, isComplete: true };
    }
  }
  const name = nameOf(doubt, target);
  const alike = new Set<string>();
  let listed: Listed | undefined;
  const isComplete = await scan(listing, (rows) => {
    for (const row of rows) {
      if (row.id === undefined) continue;
      if (row.id === id) listed = row;
      if (code === null ? name !== undefined && row.name === name : row.code === code) {
        alike.add(row.id);
      }
    }
  });
  return { listed, alike: [...alike], isComplete };
}

function nameOf({ body }: Adopting, { listing }: ImportTarget): string | undefined {
  const value = (JSON.parse(body) as Record<string, unknown>)[listing!.nameField];
  return typeof value === 'string' ? value : undefined;
}

/** Undefined where nothing speaks against it. */
function whyNot(
  id: string,
  { row, code }: Adopting,
  { listed, isComplete }: Seen,
  journal: Journal,
): string | undefined {
  if (isOlder(id, journal)) return `${id} was there before this run began`;
  if (listed === undefined) return isComplete ? `there is no ${id} in the list` : undefined;
  // A service that changes codes gives each row another one than it was sent.
  if (code === null || listed.code === code || journal.get('codesAltered') === true)
    return undefined;
  return `${id} has the code ${listed.code ?? '(none)'}, and row ${row} has ${code}`;
}

function refused(
  why: string,
  { row, code }: Adopting,
  fitting: readonly string[],
  isComplete: boolean,
  resolve: string,
  { one, noun }: ImportTarget,
): ProcError {
  const command = `${resolve} ${row}`;
  const alike = code === null ? 'name' : `code ${code}`;
  const [first] = fitting;
  const shown = fitting.slice(0, NAMED).join(', ') + (fitting.length > NAMED ? ', …' : '');
  const hint =
    first !== undefined
      ? `New in the list with its ${alike}: ${shown}. If that is it: ${command} --adopt ${first}`
      : isComplete
        ? `No new ${one} has its ${alike}. If it was not created: ${command} --resend`
        : `Look for it in the service: proc ${noun} list --all`;
  return new ProcError('reference_not_found', `${why}; row ${row} was not changed`, {
    hint,
    details: { row, code, candidates: fitting },
  });
}
