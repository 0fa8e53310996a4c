import { resolve } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { Result } from '../core/result.ts';
import type { Scope } from '../core/scope.ts';
import { nearest } from '../core/text/nearest.ts';
import { typedAgain } from '../core/text/typed.ts';
import { HISTORY } from '../history/store.ts';
import { importingFile } from '../messages/bulk.ts';
import { parseWhere } from '../output/select/where.ts';
import { choicesOf, type ImportFlags, mannersOf, refuseReports } from './import-flags.ts';
import { checkTargets, filledBy, refuseFlatRows } from './kind/flat-source.ts';
import type { RunHeader } from './ledger/header.ts';
import { Journal } from './ledger/journal.ts';
import { journalFailure } from './ledger/ledger-failure.ts';
import { type ImportLock, lockImport, processOf } from './ledger/processes/import-lock.ts';
import { openWorkplace } from './ledger/processes/workplace.ts';
import { summary } from './ledger/run-summary.ts';
import { eachRun, importsFolder, journalPath, newRun } from './ledger/runs.ts';
import { whoseRun } from './ledger/whose.ts';
import { chooseMapping } from './map/choose-mapping.ts';
import type { Mapping } from './map/mapping.ts';
import { recogniseRun } from './map/repair/recognise.ts';
import { nextCommand } from './report/next-command.ts';
import { defaultRejectedFile } from './report/rejected-file.ts';
import { planAndSend, progressFor, stayLean } from './send/send-run.ts';
import { confirmEncoding } from './source/confirm-encoding.ts';
import { openSource, recordFieldsOf } from './source/open-source.ts';
import type { Source } from './source/record.ts';
import { removeSpool, stageSource } from './stage/stage-source.ts';
import { sourceFilter } from './stage/steps/source-filter.ts';
import type { ImportTarget } from './targets/import-target.ts';

/**
 * Brings a file into the service: reads and maps it, stages it in a journal, plans, asks, sends and
 * settles. A run that ends before its first request leaves nothing behind.
 *
 * @throws ProcError before anything was sent; afterwards the result tells
 */
export async function importFile(
  target: ImportTarget,
  file: string,
  flags: ImportFlags,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  stayLean();
  const began = ports.self.clock.monotonic();
  checkGlobals(ports);
  if (ports.api.isPreview) refuseReports(flags);
  const { where } = ports.self.flags;
  parseWhere(where, 'columns');
  const choices = { ...choicesOf(flags), where: where.length === 0 ? undefined : where };
  const manners = mannersOf(flags, ports.self.flags.timeoutMs);
  const destination = await ports.api.target();
  // What is learned of the key is kept there.
  await ports.store.open(HISTORY);
  const scope = await ports.store.scope();
  refuseNewKey(scope, ports);
  const folder = importsFolder(ports.self.env);
  using workplace = openWorkplace(folder, ports.api.isPreview);
  const source = await openSource({
    file,
    stdin: ports.io.streams.stdin,
    spoolFolder: workplace.folder,
    path: flags.path,
    encoding: flags.encoding,
    sheet: flags.sheet,
    recordFields: recordFieldsOf(target),
    csvRaw: ports.self.flags.csvRaw,
    confirmEncoding: (found) => confirmEncoding(found, file, folder, ports),
  });
  const waitMs = flags.waitLock ?? 0;
  let lock: ImportLock | undefined;
  let journal: Journal | undefined;
  try {
    sourceFilter(choices.where, source);
    refuseUnfinished(folder, target, scope, source, ports, waitMs > 0);
    const mended = recogniseRun(source, target, folder, scope, ports);
    const groupBy = flags.groupBy ?? mended?.groupBy;
    if (groupBy !== undefined) checkGroupBy(groupBy, source);
    else if (mended === undefined) refuseFlatRows(source, target, flags, folder, ports);
    const shape =
      groupBy === undefined || target.grouped === undefined
        ? target
        : { ...target, ...target.grouped };
    const earlier = mended?.mapping as object | undefined;
    const grouped = groupBy === undefined ? undefined : target.grouped;
    const isFiled = (flags.mapFile ?? flags.mapFrom ?? earlier) !== undefined;
    if (grouped !== undefined && !isFiled) {
      checkTargets(filledBy(flags, source, grouped), grouped, groupBy!, source, ports);
    }
    const mapping = await chooseMapping(
      source,
      shape,
      { ...flags, groupBy },
      folder,
      ports,
      earlier,
    );
    checkKeyIsMapped(mapping, target, flags, source);
    if (grouped !== undefined) {
      const fields = Object.keys(mapping.fields);
      checkTargets({ fields, said: fields }, grouped, groupBy!, source, ports);
    }
    if (!ports.api.isPreview) {
      await ports.api.ensureAskable({
        what: importingFile(target.many, source.name),
        weight: 'bulk',
      });
      const { clock, signal } = ports.self;
      const { baseUrl } = destination;
      const { organization } = scope;
      const what = { folder, noun: target.noun, baseUrl, organization };
      lock = await lockImport(what, { clock, signal, waitMs });
      // The one that was waited for may have been of this very file.
      refuseUnfinished(folder, target, scope, source, ports);
    }
    const run = newRun(ports.self.clock.now());
    const rejected =
      flags.rejected ?? defaultRejectedFile(source, run, ports.self.cwd, file === '-');
    const header: RunHeader = {
      run,
      noun: target.noun,
      profile: destination.profile,
      environment: destination.environment,
      baseUrl: destination.baseUrl,
      organization: scope.organization,
      source: {
        name: source.name,
        path: resolve(ports.self.cwd, source.original ?? source.path),
        bytes: source.bytes,
        hash: source.hash,
        format: source.format,
        columns: source.columns,
        arrayPath: flags.path,
        encoding: source.format.encoding,
        sheet: flags.sheet,
      },
      mapping,
      choices:
        mended === undefined || flags.noCode !== undefined
          ? { ...choices, csvRaw: ports.self.flags.csvRaw }
          : { ...choices, csvRaw: ports.self.flags.csvRaw, noCode: mended.choices.noCode },
      groupBy,
      mends: mended?.run,
      rejectedFile: resolve(ports.self.cwd, rejected),
      resultsFile: flags.results === undefined ? undefined : resolve(ports.self.cwd, flags.results),
      startedAt: new Date(ports.self.clock.now()).toISOString(),
    };
    lock?.tell(run);
    journal = Journal.create(journalPath(workplace.folder, run), header);
    const progress = progressFor(ports, flags.progress);
    await stageSource(journal, target, source, manners.patienceMs, ports, progress);
    removeSpool(source, workplace.folder);
    return await planAndSend(journal, target, manners, ports, progress, began);
  } catch (thrown) {
    if (journal === undefined) throw thrown;
    const failure = journalFailure(journal.path, thrown);
    if (!wasSent(journal)) journal.discard();
    throw failure;
  } finally {
    journal?.close();
    removeSpool(source, workplace.folder);
    lock?.release();
  }
}

/** A journal that cannot even be read is kept: it may tell what was sent. */
function wasSent(journal: Journal): boolean {
  if (!journal.isOpen) return false;
  try {
    return ['sending', 'finished'].includes(journal.phase);
  } catch {
    return true;
  }
}

function checkGlobals({ self: { flags: globals } }: Ports<'self'>): void {
  if (globals.curl) {
    throw new ProcError('invalid_usage', 'an import cannot be shown as a curl line', {
      hint: 'See what it would do: --dry-run',
    });
  }
}

/**
 * A source whose import was cut off goes on where it was, instead of once more.
 *
 * @param waits one that is going on right now is no reason: its end is waited for
 */
function refuseUnfinished(
  folder: string,
  target: ImportTarget,
  scope: Scope,
  { hash, name }: Source,
  ports: Ports<'io' | 'api' | 'self'>,
  waits = false,
): void {
  if (ports.api.isPreview) return;
  const [open] = eachRun(folder, (journal) => {
    const { header } = journal;
    const isSame = header.source.hash === hash && header.noun === target.noun;
    const run = summary(journal);
    if (!isSame || run.left === 'nothing') return undefined;
    const whose = whoseRun(journal, scope);
    if (whose === 'elsewhere' || whose === 'foreign') return undefined;
    return { header, whose, goesOn: run.left === 'resume', command: nextCommand(run, ports) };
  });
  if (open === undefined) return;
  const { run } = open.header;
  const process = processOf(run, { folder, ...open.header });
  if (process !== undefined) {
    if (waits) return;
    const message = `${name} is being imported right now (run ${run}, process ${process})`;
    throw new ProcError('import_busy', message, {
      hint: `Wait for its end, or let this one wait: ${typedAgain(ports.self.typed, ['--wait-lock', '5m'])}`,
      details: { run, pid: process },
    });
  }
  const by = open.whose === 'ours' ? '' : ` (${run}; for which organization was not recorded)`;
  throw open.goesOn
    ? new ProcError('import_unfinished', `${name} has an import that is not finished${by}`, {
        hint: `Resume it: ${open.command}`,
        details: { run },
      })
    : new ProcError('import_unfinished', `${name} has an import with unconfirmed rows${by}`, {
        hint: `Check the service, then run: ${open.command}`,
        details: { run },
      });
}

/**
 * A key that is new where others have written may be the new key of one of them, whose rows would be
 * sent again.
 */
function refuseNewKey({ others, organization }: Scope, ports: Ports<'io' | 'api' | 'self'>): void {
  if (others.length === 0) return;
  const names = others.join(', ');
  const text = `the key (${organization}) is new at an address where others have written: ${names}`;
  const [first] = others as [string];
  const same = typedAgain(ports.self.typed, ['--organization', first]);
  const hint = `If it is the new key of one of them, name that one: ${same}. If not, give its organization a name of its own with --organization NAME. proc remembers the answer`;
  if (!ports.api.isPreview) {
    throw new ProcError('unknown_organization', `${text}; nothing was sent`, {
      hint,
      details: { organization, others },
    });
  }
  ports.io.say({ kind: 'warning', text: `${text}; the import will stop. ${hint}` });
}

function checkGroupBy(column: string, { columns, name }: Source): void {
  if (columns.includes(column)) return;
  const near = nearest(column, columns);
  throw new ProcError('invalid_usage', `--group-by ${column}: ${name} has no such column`, {
    hint:
      near === undefined
        ? `Columns: ${columns.slice(0, 20).join(', ')}`
        : `Did you mean ${JSON.stringify(near)}?`,
  });
}

/** Without its key no row could be recognised by a second import, or looked up when in doubt. */
function checkKeyIsMapped(
  mapping: Mapping,
  { keyField, listing }: ImportTarget,
  flags: ImportFlags,
  source: Source,
): void {
  const isKept = flags.noCode === 'name' || flags.noCode === 'send';
  if (mapping.fields[keyField] !== undefined || isKept || listing === undefined) return;
  if (source.head.length === 0 && source.columns.length === 0) return;
  throw new ProcError(
    'invalid_usage',
    `No column is mapped to ${keyField}: a second import could not recognise any row`,
    {
      hint: `Say which it is (--map ${keyField}=COLUMN; there are ${source.columns.slice(0, 8).join(', ')}), or send all the same: --no-code send`,
    },
  );
}
