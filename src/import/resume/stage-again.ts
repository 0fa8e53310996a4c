import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { inShell } from '../../core/text/typed.ts';
import { keepInputs } from '../ledger/processes/inputs.ts';
import type { OpenRun } from '../open-run.ts';
import { discardCommand } from '../report/next-command.ts';
import { removeSpool } from '../source/bytes/spool.ts';
import { openSource, recordFieldsOf } from '../source/open-source.ts';
import { stageSource } from '../stage/stage-source.ts';

/**
 * Reads the source again from the start, because the run was interrupted while reading it.
 *
 * @param folder the folder of all imports
 * @throws ProcError `invalid_input` if the file has changed
 */
export async function stageAgain(
  run: OpenRun,
  folder: string,
  ports: Ports<'io' | 'api' | 'lookup' | 'store' | 'self'>,
): Promise<void> {
  const { journal, target } = run;
  const { run: name, source: was, statement } = journal.header;
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
    csvRaw: journal.header.choices.csvRaw,
  });
  if (source.hash !== was.hash) {
    throw new ProcError('invalid_input', `${was.name} has changed since this run started`, {
      hint: `Nothing was sent. Discard the run: ${discardCommand(name, ports)}. Then import the file again`,
    });
  }
  journal.commit(() => journal.rows.empty());
  await stageSource(run, source, ports);
  removeSpool(source, folder);
}
