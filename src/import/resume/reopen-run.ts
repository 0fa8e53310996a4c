import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { sentence } from '../../core/problem/sentence.ts';
import type { RecordResult } from '../../core/result.ts';
import { storedCode } from '../../core/service/code-change.ts';
import { grouped } from '../../core/text/decimal.ts';
import { someOf } from '../../core/text/listed.ts';
import type { Listed } from '../../listing/listing.ts';
import { Search } from '../../listing/search.ts';
import type { OpenRun, RunPorts, SendPorts } from '../open-run.ts';
import {
  type CatalogueState,
  type ListRun,
  markExisting,
  noteExisting,
  readList,
  unreadList,
  unverifiedRefusal,
} from '../plan/catalogue/baseline.ts';
import { type LearnedNames, listingFor } from '../plan/catalogue/open-listing.ts';
import { applyItemsInPlace } from '../plan/plan-items-in-place.ts';
import { contradiction } from '../reconcile/contradicted.ts';
import { importRunMessages } from '../report/labels.ts';
import { giveUpCommand, runCommand } from '../report/old-next-steps.ts';
import { progressFor } from '../report/progress.ts';
import { nothingSent, rowsIn } from '../report/words.ts';
import { isSameBoot } from '../run-clock.ts';
import type { RunOptions } from '../run-options.ts';
import { eachKnownHere } from '../store/known-records.ts';
import type { Run } from '../store/run-file.ts';
import { summary } from '../store/run-summary.ts';
import { updateFromOtherRuns } from '../store/sent-before.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/**
 * Prepares a run that has already begun to send.
 *
 * @throws ProcError before anything is sent
 */
export async function reopenRun(opened: OpenRun, ports: SendPorts): Promise<void> {
  const { run, target } = opened;
  await checkOrganization(opened, ports);
  if (target.listing === undefined) await updateFromOtherRuns(run, ports);
  if (target.definesItems === true) {
    const { refusal } = await applyItemsInPlace(opened, ports);
    if (refusal !== undefined) throw refusal;
  }
  const isSame = isSameBoot(ports.self.clock, run);
  run.interrupt(isSame);
  if (target.listing !== undefined) await checkPendingAgain(opened, ports);
  await run.reopen(isSame);
}

/**
 * Refuses a changed key if the list provably lacks a row that the run created. The key then belongs
 * to another organization.
 */
async function checkOrganization(
  { run, target, options: { patienceMs } }: OpenRun,
  ports: RunPorts,
): Promise<void> {
  const mark = (await ports.store.scope()).markOf(run.header.run);
  if (run.get('keyMark') === mark) return;
  const row = run.rows.reported.anyCreated();
  if (row !== undefined && target.listing !== undefined) {
    const search = new Search(await listingFor(target, run, ports, { patienceMs }));
    const found = await search.find(storedCode(run.codeChange, row.code));
    if (found.kind === 'proved' && !found.ids.includes(row.id)) {
      throw new ProcError(
        'credential_origin',
        `this run started with the key of another organization: the run created ${row.code} (${row.id}), and the list of the current key does not have it`,
        {
          hint: 'Check which key is used: proc profile show',
        },
      );
    }
  }
  run.note({ keyMark: mark });
}

/** Maximum number of records in a message. */
const NAMED = 3;

interface FoundRecord {
  readonly row: number;
  readonly key: string;
  readonly id: string;
}

interface Look {
  /** Pending rows that exist by now. */
  readonly count: number;
  readonly named: readonly FoundRecord[];
  readonly refusal: ProcError | undefined;
  readonly isContradicted: boolean;
}

/**
 * Others may have created the records of pending rows since the plan. `--on-existing` applies to these
 * rows as it did in the plan.
 *
 * @throws ProcError before anything is sent
 */
async function checkPendingAgain(opened: ListRun, ports: RunPorts): Promise<void> {
  const { run } = opened;
  if (!run.rows.planned.hasPending()) return;
  refuseUnlike(run, ports);
  const { count, named, refusal, isContradicted } = await lookAgain(opened, ports, false);
  if (refusal !== undefined) throw refusal;
  // The list hides records that this machine created. So an unconfirmed row that it does not show
  // may exist too.
  if (isContradicted) run.note({ baseline: 'unproved' });
  if (run.header.choices.onExisting !== 'skip' || count === 0) return;
  ports.io.say({
    kind: 'warning',
    text: `${count === 1 ? '1 pending row exists' : `${grouped(count)} pending rows exist`} by now${shown(named, count)}. This run does not send ${count === 1 ? 'it' : 'them'}`,
  });
}

/** Each resume would send one more row, whose code may exist in a form that proc does not know. */
function refuseUnlike(run: Run, ports: RunPorts): void {
  const why = run.get('codesUnlike');
  if (why === undefined || run.counts().created > 0) return;
  const pending = run.counts().pending;
  const resolve = runCommand('resolve', run.header, ports);
  throw new ProcError(
    'catalogue_unverified',
    `${sentence(why)} for the first row, in a way that proc cannot follow: ${rowsIn(pending)} may exist under other codes; ${nothingSent(run)}`,
    {
      hint: `Look at the record in the service, and say what became of the row: ${resolve}. Then change the codes of the file to the form that the service stores, and import it again`,
      details: { pending },
    },
  );
}

/**
 * What a resume would do. Sends nothing, but checks pending rows again.
 */
export async function previewResume(
  run: Run,
  target: ImportTarget,
  options: RunOptions,
  ports: RunPorts,
): Promise<RecordResult> {
  const { labels } = importRunMessages;
  const { run: name, source } = run.header;
  const value = { dryRun: true, run: name, source: source.name };
  const { pending, unconfirmed, ...counts } = summary(run).counts;
  const checked = { run, target, options, progress: progressFor(ports) };
  const { count, refusal } = run.rows.planned.hasPending()
    ? await lookAgain(checked, ports, true)
    : { count: 0, refusal: undefined };
  const existing = run.header.choices.onExisting === 'skip' ? count : 0;
  const toDo = {
    existing: counts.existing + existing,
    toSend: pending - existing,
    toLookUp: unconfirmed,
    ...(refusal === undefined ? {} : { refused: refusal.message }),
  };
  return { kind: 'record', labels, value: { ...value, ...counts, ...toDo }, failure: refusal };
}

/**
 * Reads the list again, for records that others created under the keys of pending rows.
 *
 * @param isPreview writes nothing
 */
async function lookAgain(opened: ListRun, ports: RunPorts, isPreview: boolean): Promise<Look> {
  const { run } = opened;
  const isSkipped = run.header.choices.onExisting === 'skip';
  const named: FoundRecord[] = [];
  // With `fail` the rows stay pending, so that another resume is refused too.
  const stillPending = isPreview || !isSkipped ? new Set<number>() : undefined;
  function* among(records: Iterable<Listed>): Generator<Listed> {
    for (const record of records) {
      const { id, code, name } = record;
      const isCoded = code !== null && code !== '';
      const key = isCoded ? code : name;
      if (id === undefined || key === null) continue;
      const rows = run.rows.planned.pendingLike(isCoded ? 'code' : 'name', key, id);
      for (const row of rows) {
        const isNamed = named.some((one) => one.row === row);
        if (!isNamed && named.length < NAMED) named.push({ row, key, id });
        stillPending?.add(row);
      }
      if (rows.length > 0) yield record;
    }
  }
  const take = (records: Iterable<Listed>): void => {
    if (!isPreview) noteExisting(run, among(records));
    else for (const _ of among(records));
  };
  const state = await readAgain(opened, take, isPreview ? inMemory(run) : run, ports);
  const count = isPreview ? stillPending!.size : markExisting(run, isSkipped);
  const { known, ...contradicted } = await contradiction(state, opened, ports, stillPending);
  const refusal =
    contradicted.refusal ??
    unverifiedRefusal(known, opened) ??
    (isSkipped || count === 0 ? undefined : failed(run, count, named, ports));
  return { count, named, refusal, isContradicted: known !== state };
}

/** A preview keeps detected parameter names only in memory. */
function inMemory(run: Run): LearnedNames {
  let learned = run.get('learned');
  return {
    get: () => learned,
    note: (facts) => {
      learned = facts.learned;
    },
    forget: () => {
      learned = undefined;
    },
  };
}

async function readAgain(
  opened: ListRun,
  take: (records: Iterable<Listed>) => void,
  names: LearnedNames,
  ports: RunPorts,
): Promise<CatalogueState> {
  const { run, target } = opened;
  const unread = await unreadList(run, target, ports);
  if (unread !== undefined) return unread;
  const state = await readList(opened, { take, restart: () => undefined }, names, ports);
  if (state.baseline === 'unproved') await eachKnownHere(run, target, ports, take);
  return state;
}

function failed(
  run: Run,
  count: number,
  named: readonly FoundRecord[],
  ports: Ports<'io' | 'self'>,
): ProcError {
  const { run: name } = run.header;
  return new ProcError(
    'invalid_input',
    `${rowsIn(count, 'pending row')} ${count === 1 ? 'exists' : 'exist'} by now${shown(named, count)}; ${nothingSent(run)} (--on-existing fail)`,
    {
      hint: `To skip ${count === 1 ? 'it' : 'them'}, give up the rest: ${giveUpCommand(run.header, ports)}. Then import the file again with --on-existing skip`,
      details: { run: name, existing: count, samples: named },
    },
  );
}

function shown(named: readonly FoundRecord[], count: number): string {
  const some = named.map(({ key, id }) => `${key} (${id})`);
  return some.length === 0 ? '' : `: ${someOf(some, count)}`;
}
