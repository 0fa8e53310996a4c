import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { importPlanMessages } from '../../messages/planning.ts';
import { checkOutFile } from '../../output/out-file.ts';
import { isSameFile } from '../../store/regular-file.ts';
import type { OpenRun } from '../open-run.ts';
import { checkRowsFile, writeRowsFile } from '../report/rows-file.ts';
import { countedIn } from '../report/words.ts';

/**
 * Checks that the file of `--plan` can be written. Called before the import reads anything.
 *
 * @param source the file to import; `-` for standard input
 * @throws ProcError `invalid_usage`, `unwritable_output`
 */
export async function checkPlanFile(
  file: string | undefined,
  source: string,
  { self: { cwd } }: Ports<'self'>,
): Promise<void> {
  if (file === undefined) return;
  checkRowsFile('--plan', file);
  const path = resolve(cwd, file);
  await checkOutFile(path, '--plan');
  if (source !== '-' && isSameFile(path, resolve(cwd, source))) {
    throw new ProcError('invalid_usage', `--plan ${file} is the file to import`);
  }
}

/**
 * Writes the file of `--plan`, which lists every row with its state, reason, findings and values.
 *
 * @throws ProcError `unwritable_output`; an existing file stays unchanged
 */
export async function writePlan(
  { run, progress }: OpenRun,
  ports: Ports<'io' | 'self'>,
): Promise<void> {
  const { planFile } = run.header;
  if (planFile === undefined) return;
  const words = importPlanMessages;
  await writeRowsFile(run, planFile, '--plan', (rows) => {
    progress.step(words.steps.writingPlan(rows, countedIn(run.header)), {
      step: 'write plan',
      rows,
    });
    ports.self.signal.throwIfAborted();
  });
  run.note({ planFile });
  if (ports.io.terminal.interactive) {
    ports.io.say({ kind: 'notice', text: words.planWritten(planFile) });
  }
}
