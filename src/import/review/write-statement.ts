import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { inShell } from '../../core/text/typed.ts';
import { checkOutFile, openOutFile } from '../../output/out-file.ts';
import type { Journal } from '../ledger/journal.ts';
import { sealedOf } from './sealed-bodies.ts';
import { STATEMENT_EXTENSION, statementLines, titleLine } from './statement.ts';
import { isStatement } from './statement-run.ts';

/**
 * Writes the statement of a staged run, whole or not at all.
 *
 * @throws ProcError `invalid_usage`, `unwritable_output`; `plan_changed` if the saved rows were changed
 */
export async function writeStatement(
  journal: Journal,
  file: string,
  { self }: Ports<'self'>,
): Promise<void> {
  checkName(file, journal);
  const path = resolve(self.cwd, file);
  await checkOutFile(path, '--statement');
  refuseSource(path, file, journal);
  const sealed = sealedOf(journal);
  const out = await openOutFile(path, '--statement');
  try {
    await out.write(`${titleLine(sealed.digest)}\n`);
    for (const lines of statementLines(journal, sealed)) {
      await out.write(lines.map(({ text }) => `${text}\n`).join(''));
      self.signal.throwIfAborted();
    }
    await out.commit();
  } catch (thrown) {
    await out.abort();
    throw thrown;
  }
}

/** @throws ProcError `invalid_usage` */
function checkName(file: string, journal: Journal): void {
  const { run, noun } = journal.header;
  if (journal.get('sealed') === undefined) {
    throw new ProcError('invalid_usage', `${run} was not staged, so it has no statement`, {
      hint: `Stage an import: proc ${noun} import FILE --stage`,
      details: { run },
    });
  }
  if (isStatement(file)) return;
  throw new ProcError(
    'invalid_usage',
    `--statement ${file}: the name must end with ${STATEMENT_EXTENSION}`,
    {
      hint: `Use --statement ${inShell(`${file.replace(/\.[a-z0-9]+$/i, '')}${STATEMENT_EXTENSION}`)}`,
    },
  );
}

function refuseSource(path: string, file: string, { header: { run, source } }: Journal): void {
  const [own, other] = [path, source.path].map((one) => statSync(one, { throwIfNoEntry: false }));
  if (own === undefined || own.ino !== other?.ino || own.dev !== other.dev) return;
  throw new ProcError('invalid_usage', `--statement ${file} is the source of ${run}`);
}
