import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { inEach, type Phrase } from '../../core/text/phrase.ts';
import { importEndings, importNexts } from '../../messages/errors/import-errors.ts';
import { sentence } from '../../messages/problems.ts';
import type { Stop } from '../open-run.ts';
import { hiddenText, refusedText, twiceText } from '../reconcile/seen-after.ts';
import type { Summary } from '../store/run-summary.ts';
import { countedIn } from './words.ts';

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
  const counted = countedIn(summary.header);
  const details = { run, ...counts, parked };
  const endings: ProcError[] = [];
  const add = (code: ProcError['code'], message: Phrase, hint?: Phrase): void => {
    endings.push(new ProcError(code, message, { hint, details }));
  };
  const next = isLost ? importNexts.lost : importNexts.resume(open, counted, resume);

  const signal = signalOf(stop);
  if (signal !== undefined) add(signal.code, signal.said.message, next);
  if (parked > 0) {
    const check = isLost ? importNexts.lost : importNexts.resolve(resolve);
    add('outcome_unknown', importEndings.parked(parked, counted), check);
  }
  if (undelivered !== undefined) {
    add(
      'undelivered',
      importEndings.undelivered(counts.created, counted, undelivered.said.message),
      importNexts.writeAgain(resume),
    );
  }
  if (stop !== undefined && signal === undefined) {
    add('incomplete', importEndings.stopped(stop.why), next);
  } else if (stop === undefined && (counts.pending > 0 || open > 0)) {
    add('incomplete', importEndings.open(counts.pending + open, counted), next);
  }
  if (counts.rejected > 0) {
    add(
      'rows_rejected',
      importEndings.rejected(counts.rejected, counted),
      rejectedFile === undefined ? undefined : importNexts.fix(counts.rejected, rejectedFile),
    );
  }
  const verified = summary.fact('verified');
  const twice = verified === undefined ? undefined : twiceText(verified);
  if (twice !== undefined) add('codes_doubled', twice);
  const refused = verified === undefined ? undefined : refusedText(verified);
  if (refused !== undefined) add('rows_rejected', refused, importNexts.checkRecords);
  const hidden = verified === undefined ? undefined : hiddenText(verified);
  if (hidden !== undefined) {
    add('created_not_listed', hidden, importNexts.checkHidden(verified?.hidden ?? 0));
  }
  const fileProblem = summary.fact('fileProblem');
  if (fileProblem !== undefined) {
    add(
      'rows_rejected',
      inEach((lang) => `${source.name}: ${sentence(fileProblem, lang)}`),
    );
  }
  return endings;
}

/**
 * The error of the signal that ended the run. Undefined for a deadline, which interrupts a run too.
 */
function signalOf(stop: Stop | undefined): ProcError | undefined {
  if (stop?.kind !== 'interrupted' || !(stop.error instanceof ProcError)) return undefined;
  return stop.error.exitCode >= EXIT.hungUp ? stop.error : undefined;
}
