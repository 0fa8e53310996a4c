import { DialogueError, ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { storedCode } from '../../core/service/code-change.ts';
import { inShell } from '../../core/text/typed.ts';
import { Search } from '../../listing/search.ts';
import type { OpenRun, RunPorts, SendPorts } from '../open-run.ts';
import { listingFor } from '../plan/catalogue/open-listing.ts';
import { applyItemsInPlace } from '../plan/plan-items-in-place.ts';
import { discardCommand } from '../report/next-steps.ts';
import { checkItemsUnchanged } from '../review/send-staged.ts';
import { isSameBoot } from '../run-clock.ts';
import { removeSpool } from '../source/bytes/spool.ts';
import { openSource, recordFieldsOf } from '../source/open-source.ts';
import { stageSource } from '../stage/stage-source.ts';
import { updateFromOtherRuns } from '../store/sent-before.ts';
import { keepInputs } from '../workplace.ts';
import { checkPendingAgain } from './created-meanwhile.ts';

/**
 * Prepares a run that has already begun to send.
 *
 * @throws ProcError before anything is sent
 */
export async function reopenRun(opened: OpenRun, ports: SendPorts): Promise<void> {
  const { run, target } = opened;
  await checkOrganization(opened, ports);
  if (target.listing === undefined) await updateFromOtherRuns(run, ports);
  if (target.definesItems === true && run.get('sealed') !== undefined) {
    await checkItemsUnchanged(opened, ports);
  } else if (target.definesItems === true) {
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
      throw new DialogueError(
        'credential_origin',
        {
          en: `this run started with the key of another organization: the run created ${row.code} (${row.id}), and the list of the current key does not have it`,
          es: `esta importación empezó con la clave de otra organización: creó ${row.code} (${row.id}), y la lista de la clave actual no lo tiene`,
        },
        {
          hint: {
            en: 'Check which key is used: proc auth status',
            es: 'Vea qué clave se usa: proc auth status',
          },
        },
      );
    }
  }
  run.note({ keyMark: mark });
}

/**
 * Reads the source again from the start, because the run was interrupted while reading it.
 *
 * @param folder the folder of all imports
 * @throws ProcError `invalid_input` if the file has changed
 */
export async function stageAgain(
  opened: OpenRun,
  folder: string,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): Promise<void> {
  const { run, target } = opened;
  const { run: name, source: was, statement } = run.header;
  if (statement !== undefined) {
    throw new ProcError('invalid_usage', `${name} was not read to the end of ${statement}`, {
      hint: `Send the statement again: proc imports send ${inShell(statement)} --digest DIGEST`,
      details: { run: name },
    });
  }
  using _inputs = keepInputs(folder);
  const source = await openSource({
    file: was.path,
    cwd: ports.self.cwd,
    stdin: ports.io.streams.stdin,
    spoolFolder: folder,
    path: was.arrayPath,
    encoding: was.encoding,
    sheet: was.sheet,
    place: was,
    recordFields: recordFieldsOf(target),
    csvRaw: run.header.choices.csvRaw,
  });
  if (source.hash !== was.hash) {
    throw new DialogueError(
      'invalid_input',
      {
        en: `${was.name} has changed since this run started`,
        es: `${was.name} cambió desde que empezó esta importación`,
      },
      {
        hint: {
          en: `Nothing was sent. Discard the run: ${discardCommand(name, ports)}. Then import the file again`,
          es: `No se envió nada. Descarte la importación: ${discardCommand(name, ports)}. Después importe el archivo otra vez`,
        },
      },
    );
  }
  run.commit(() => run.rows.empty());
  await stageSource(opened, source, ports);
  removeSpool(source, folder);
}
