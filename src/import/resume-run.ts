import { resolve } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Result } from '../core/result.ts';
import { placeName } from '../core/text/place-name.ts';
import { inShell, typedAgain } from '../core/text/typed.ts';
import { Search } from '../listing/search.ts';
import { importingFile } from '../messages/bulk.ts';
import { mannersOf, type ResumeFlags, refuseReports } from './import-flags.ts';
import type { RunHeader } from './ledger/header.ts';
import { Journal } from './ledger/journal.ts';
import { journalFailure } from './ledger/ledger-failure.ts';
import { lockImport } from './ledger/processes/import-lock.ts';
import { keepInputs } from './ledger/processes/inputs.ts';
import { summary } from './ledger/run-summary.ts';
import { eachRun, findRun, importsFolder, journalPath } from './ledger/runs.ts';
import { lookAgain } from './ledger/sent/sent-before.ts';
import { whoseRun } from './ledger/whose.ts';
import { listingFor } from './plan/catalogue/open-listing.ts';
import { settleItemsInPlace } from './plan/plan-items-in-place.ts';
import { conclude, planAndSend, progressFor, sendRun, stayLean } from './send/send-run.ts';
import { openSource, recordFieldsOf } from './source/open-source.ts';
import { removeSpool, stageSource } from './stage/stage-source.ts';
import type { ImportTarget } from './targets/import-target.ts';

/**
 * Goes on with a run that was cut off or stopped: reads its source anew where it was not yet staged,
 * plans where nothing was sent, and otherwise settles what is in doubt and sends the rest.
 *
 * @param typed its name; undefined for the only unfinished one
 * @throws ProcError before anything is sent
 */
export async function resumeRun(
  targets: readonly ImportTarget[],
  typed: string | undefined,
  flags: ResumeFlags,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  stayLean();
  const began = ports.self.clock.monotonic();
  if (ports.api.isPreview) refuseReports(flags);
  const folder = importsFolder(ports.self.env);
  const run =
    typed === undefined ? onlyUnfinished(folder, ports.self.typed) : findRun(folder, typed);
  const path = journalPath(folder, run);
  const { header, isOver } = await peek(path, ports);
  const { noun, baseUrl, organization } = header;
  const target = targets.find((one) => one.noun === noun);
  if (target === undefined) {
    throw new ProcError('invalid_usage', `${run} imports ${noun}, which this version cannot`);
  }
  const manners = mannersOf(flags, ports.self.flags.timeoutMs);
  if (ports.api.isPreview && !isOver) return preview(path, ports);
  const { clock, signal } = ports.self;
  const lock = isOver
    ? undefined
    : await lockImport(
        { folder, noun, baseUrl, organization },
        { clock, signal, waitMs: flags.waitLock ?? 0, run },
      );
  let journal: Journal | undefined;
  try {
    journal = Journal.open(path);
    const progress = progressFor(ports, flags.progress);
    renameFiles(journal, flags, ports);
    if (isOver) return conclude(journal, undefined, ports);
    if (journal.phase === 'staging' || journal.phase === 'planned') {
      const what = importingFile(target.many, journal.header.source.name);
      await ports.api.ensureAskable({ what, weight: 'bulk' });
    }
    if (journal.phase === 'staging')
      await stageAnew(journal, target, folder, manners.patienceMs, ports, progress);
    if (journal.phase === 'planned')
      return await planAndSend(journal, target, manners, ports, progress, began);
    await checkOrganization(journal, target, ports);
    if (target.listing === undefined) await lookAgain(journal, target.create, ports);
    if (target.definesItems === true) {
      const { refusal } = await settleItemsInPlace(journal, manners, ports, progress);
      if (refusal !== undefined) throw refusal;
    }
    journal.reopen();
    return await sendRun(journal, target, manners, ports, progress);
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal?.close();
    lock?.release();
  }
}

/** What going on would do; nothing is read or sent. */
function preview(path: string, ports: Ports<'io'>): Result {
  const journal = Journal.open(path, true);
  try {
    const { run, source } = journal.header;
    const value = { dryRun: true, run, source: source.name };
    if (journal.phase === 'staging') {
      const text = `${source.name} was not read to its end when the run was cut off: going on reads it anew, plans it, and asks before anything is sent. Nothing was sent yet`;
      ports.io.say({ kind: 'notice', text });
      return { kind: 'record', value: { ...value, readAnew: source.path } };
    }
    const { pending, unknown, ...counts } = summary(journal).counts;
    const toDo = { toSend: pending, toLookUp: unknown };
    return { kind: 'record', value: { ...value, ...counts, ...toDo } };
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}

/** Where the result goes from now on, where that is said anew. */
function renameFiles(
  journal: Journal,
  { rejected, results }: ResumeFlags,
  { self: { cwd } }: Ports<'self'>,
): void {
  if (rejected === undefined && results === undefined) return;
  journal.note({
    ...(rejected === undefined ? {} : { rejectedFile: resolve(cwd, rejected) }),
    ...(results === undefined ? {} : { resultsFile: resolve(cwd, results) }),
  });
}

/** What must be known before the journal is opened to be written to. */
async function peek(
  path: string,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<{ header: RunHeader; isOver: boolean }> {
  const journal = Journal.open(path, true);
  try {
    const isOver = summary(journal).left === 'nothing';
    if (!isOver) await checkDestination(journal, ports);
    return { header: journal.header, isOver };
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}

function onlyUnfinished(folder: string, typed: readonly string[]): string {
  const runs = eachRun(folder, (journal) =>
    journal.phase !== 'finished' ? journal.header.run : undefined,
  );
  const inDoubt = eachRun(folder, (journal) =>
    summary(journal).left === 'resolve' ? journal.header.run : undefined,
  );
  const goingOn =
    runs.length > 0
      ? runs
      : eachRun(folder, (journal) =>
          summary(journal).left === 'resume' ? journal.header.run : undefined,
        );
  const found = goingOn.length > 0 ? goingOn : inDoubt.length === 1 ? inDoubt : [];
  if (found.length === 1) return found[0]!;
  if (found.length === 0 && inDoubt.length > 0) throw onlyInDoubt(inDoubt);
  throw found.length === 0
    ? new ProcError('reference_not_found', 'There is no unfinished import', {
        hint: 'See all runs: proc imports list',
      })
    : new ProcError('ambiguous_reference', `There are ${found.length} unfinished imports`, {
        hint: `Say which: ${typedAgain(typed, [found.at(-1)!])}`,
        details: { candidates: found },
      });
}

/** Nothing is left to send in any of them: a person says what became of the rows. */
function onlyInDoubt(runs: readonly string[]): ProcError {
  return new ProcError(
    'ambiguous_reference',
    `There is no unfinished import; ${runs.length} imports have rows in doubt`,
    {
      hint: `Look for the rows in the service, then say what became of them: proc imports resolve ${inShell(runs.at(-1)!)}`,
      details: { candidates: runs },
    },
  );
}

/**
 * A run goes on at the service where it began, however that is spelled, and nowhere else.
 *
 * @param verb what is to be typed there instead
 */
export async function checkDestination(
  journal: Journal,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  verb: 'resume' | 'resolve' = 'resume',
): Promise<void> {
  const { run, profile, environment, baseUrl, organization } = journal.header;
  const target = await ports.api.target();
  const scope = await ports.store.scope();
  const whose = whoseRun(journal, scope);
  const isThere =
    whose !== 'elsewhere' && target.profile === profile && target.environment === environment;
  if (isThere && whose === 'foreign') {
    const again = typedAgain(ports.self.typed, ['--organization', organization!]);
    throw new ProcError(
      'invalid_usage',
      `${run} is an import for the organization ${organization}, and the key is that of ${scope.organization}`,
      { hint: `Use the key of ${organization}. If this is its new key: ${again}` },
    );
  }
  if (isThere) {
    if (target.isProtected) ports.io.say({ kind: 'notice', text: `▸ ${placeName(target)}` });
    return;
  }
  const flags = `${profile === undefined ? '' : ` -p ${inShell(profile)}`}${environment === undefined ? '' : ` -e ${inShell(environment)}`}`;
  const isOtherUrl = target.profile === profile && target.environment === environment;
  throw new ProcError(
    'invalid_usage',
    `${run} goes to ${baseUrl}${profile === undefined ? '' : ` (profile ${profile})`}, not to ${target.baseUrl}`,
    {
      hint: `${verb === 'resume' ? 'Resume' : 'Resolve'} it there: ${isOtherUrl ? `PROC_BASE_URL=${inShell(baseUrl)} ` : ''}proc imports ${verb} ${inShell(run)}${isOtherUrl ? '' : flags}`,
    },
  );
}

async function stageAnew(
  journal: Journal,
  target: ImportTarget,
  folder: string,
  patienceMs: number,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
  progress: ReturnType<typeof progressFor>,
): Promise<void> {
  const { run, source: was } = journal.header;
  using _inputs = keepInputs(folder);
  const source = await openSource({
    file: was.path,
    stdin: ports.io.streams.stdin,
    spoolFolder: folder,
    path: was.arrayPath,
    encoding: was.encoding,
    sheet: was.sheet,
    recordFields: recordFieldsOf(target),
    csvRaw: journal.header.choices.csvRaw,
  });
  if (source.hash !== was.hash) {
    throw new ProcError('invalid_input', `${was.name} is not the file that this run began with`, {
      hint: `Nothing was sent. Discard the run (proc imports discard ${inShell(run)}) and import the file anew`,
    });
  }
  journal.empty();
  await stageSource(journal, target, source, patienceMs, ports, progress);
  removeSpool(source, folder);
}

/** With another key than before, one row that was created must be there: else it is another organization. */
async function checkOrganization(
  journal: Journal,
  target: ImportTarget,
  ports: Ports<'api' | 'store' | 'self'>,
): Promise<void> {
  const mark = (await ports.store.scope()).markOf(journal.header.run);
  if (journal.get('keyMark') === mark) return;
  const row = journal.reported.anyCreated();
  if (row !== undefined && target.listing !== undefined) {
    const search = new Search(await listingFor(target, journal, ports));
    const found = await search.find(row.code);
    if (found.kind === 'proved' && !found.ids.includes(row.id)) {
      throw new ProcError(
        'credential_origin',
        `The key is another than when this run began, and ${row.code} (${row.id}), which it created, is not there: this is another organization`,
        { hint: 'See which key is used: proc auth status' },
      );
    }
  }
  journal.note({ keyMark: mark });
}
