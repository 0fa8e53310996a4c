import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { countedWord } from '../../messages/import-nouns.ts';
import { sentence } from '../../messages/problems.ts';
import type { Summary } from '../ledger/run-summary.ts';
import { hiddenText, refusedText, twiceText } from '../reconcile/seen-after.ts';
import type { Stop } from '../send/sending.ts';
import { countedIn, rowsIn } from './words.ts';

export interface EndingInput {
  readonly stop: Stop | undefined;
  /** The commands that go on. */
  readonly resume: string;
  readonly resolve: string;
  readonly rejectedFile: string | undefined;
  /** The error if a file that the user asked for could not be written. */
  readonly undelivered: ProcError | undefined;
}

/**
 * The problems of a run at its end, worst first. The first problem decides the exit code of the
 * command; the others become warnings.
 */
export function endingsOf(summary: Summary, input: EndingInput): readonly ProcError[] {
  const { stop, resume, resolve, rejectedFile, undelivered } = input;
  const { counts, parked, open, isLost } = summary;
  const { run, source } = summary.header;
  const one = countedWord(1, countedIn(summary.header), 'en');
  const details = { run, ...counts, parked };
  const endings: ProcError[] = [];
  const add = (code: ProcError['code'], message: string, hint?: string): void => {
    endings.push(new ProcError(code, message, { hint, details }));
  };
  const lookedUp = open === 0 ? '' : `, to look up ${rowsIn(open, `unconfirmed ${one}`)}`;
  const importAgain =
    'The run cannot be resumed. Check the service before you import the file again';
  const next = isLost ? importAgain : `Resume it${lookedUp}: ${resume}`;

  const signal = signalOf(stop);
  if (signal !== undefined) add(signal.code, signal.message, next);
  if (parked > 0) {
    add(
      'outcome_unknown',
      `${rowsIn(parked, `${one} was`, `${one}s were`)} sent but not confirmed`,
      isLost ? importAgain : `Check the service, then run: ${resolve}`,
    );
  }
  if (undelivered !== undefined) {
    add(
      'undelivered',
      `${rowsIn(counts.created, one)} created, but ${undelivered.message}`,
      `Write it again: ${resume} --results FILE`,
    );
  }
  if (stop !== undefined && signal === undefined) {
    add('incomplete', `stopped: ${stop.why}`, next);
  } else if (stop === undefined && (counts.pending > 0 || open > 0)) {
    add('incomplete', `${rowsIn(counts.pending + open, one)} still to be sent or looked up`, next);
  }
  if (counts.rejected > 0) {
    add(
      'rows_rejected',
      `${rowsIn(counts.rejected, `${one} was`, `${one}s were`)} rejected`,
      rejectedFile === undefined
        ? undefined
        : `Fix ${counts.rejected === 1 ? 'it' : 'them'} in ${rejectedFile}, then import that file`,
    );
  }
  const verified = summary.fact('verified');
  const twice = verified === undefined ? undefined : twiceText(verified);
  if (twice !== undefined) add('codes_doubled', twice);
  const refused = verified === undefined ? undefined : refusedText(verified);
  if (refused !== undefined) {
    add(
      'rows_rejected',
      refused,
      'Check these records in the service before you import the rows again',
    );
  }
  const hidden = verified === undefined ? undefined : hiddenText(verified);
  if (hidden !== undefined) {
    add(
      'created_not_listed',
      hidden,
      verified?.hidden === 1
        ? 'Check the row in the service. This machine does not create it again, but an import from another machine would'
        : 'Check the rows in the service. This machine does not create them again, but an import from another machine would',
    );
  }
  const fileProblem = summary.fact('fileProblem');
  if (fileProblem !== undefined) add('rows_rejected', `${source.name}: ${sentence(fileProblem)}`);
  return endings;
}

/**
 * The error of the signal that ended the run. Undefined for a deadline, which interrupts a run too.
 */
function signalOf(stop: Stop | undefined): ProcError | undefined {
  if (stop?.kind !== 'interrupted' || !(stop.error instanceof ProcError)) return undefined;
  return stop.error.exitCode >= EXIT.hungUp ? stop.error : undefined;
}
