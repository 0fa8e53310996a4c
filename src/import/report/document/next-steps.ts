import type { Ports } from '../../../core/ports.ts';
import type { Next } from '../../../core/result.ts';
import { inShell } from '../../../core/text/typed.ts';
import {
  type ImportReportMessages,
  importReportMessages,
} from '../../../messages/reports/import-report.ts';
import { isSent } from '../../phases.ts';
import type { Summary } from '../../store/run-summary.ts';
import { nextCommand, placeFlags, resolveCommand, resumeCommand } from '../next-command.ts';
import { countedIn } from '../words.ts';

export interface NextStep {
  readonly what:
    | 'wait'
    | 'stage'
    | 'send'
    | 'resume'
    | 'lookUp'
    | 'resolve'
    | 'repair'
    | 'writeRejected';
  readonly rows: number;
  readonly command: string;
}

/** What to do, before its command: `Send the 3 rows that are left:`. */
export function stepText(
  { what, rows }: NextStep,
  { next }: ImportReportMessages,
  rejectedFile: string | undefined,
): string {
  if (what === 'writeRejected') return next.writeRejected;
  return what === 'repair' ? next.repair(rows, rejectedFile ?? '') : next[what](rows);
}

/** The same for programs. */
export function nextFor(
  run: Summary,
  rejectedFile: string | undefined,
  ports: Ports<'io' | 'self'>,
): readonly Next[] {
  const words = importReportMessages('en', countedIn(run.header));
  return nextSteps(run, rejectedFile, ports).map((step) => {
    const text = stepText(step, words, rejectedFile);
    return { command: step.command, why: text.replace(/:$/, '') };
  });
}

/**
 * What the user can do next, the most urgent first. Empty if there is nothing to do.
 *
 * @param rejectedFile the file of rejected rows, if it exists
 */
export function nextSteps(
  run: Summary,
  rejectedFile: string | undefined,
  ports: Ports<'io' | 'self'>,
): readonly NextStep[] {
  const { counts, header, phase, open, parked, isLost, running } = run;
  if (running !== undefined) {
    const rows = counts.pending + (counts.sending ?? 0);
    return [{ what: 'wait', rows, command: `proc imports report ${inShell(header.run)}` }];
  }
  const steps: NextStep[] = [];
  const isPlanned = isUnsent({ phase });
  if (parked > 0 && !isLost) {
    steps.push({ what: 'resolve', rows: parked, command: resolveCommand(run.header, ports) });
  }
  if (!isLost && (isPlanned || counts.pending > 0)) {
    const what = continuingStep(run);
    steps.push({ what, rows: counts.pending, command: nextCommand(run, ports) });
  } else if (!isLost && open > 0) {
    steps.push({ what: 'lookUp', rows: open, command: resumeCommand(run, ports) });
  }
  const rejected = counts.rejected - run.repaired;
  if (rejected > 0 && !isPlanned) {
    const flags = placeFlags(header);
    steps.push(
      rejectedFile === undefined
        ? {
            what: 'writeRejected',
            rows: rejected,
            command: `proc imports resume ${inShell(header.run)}${flags} --rejected FILE`,
          }
        : {
            what: 'repair',
            rows: rejected,
            command: `proc ${header.noun} import ${inShell(rejectedFile)}${flags}`,
          },
    );
  }
  return steps;
}

function continuingStep(run: Summary): NextStep['what'] {
  if (run.left === 'send') return 'send';
  if (!isUnsent(run)) return 'resume';
  return run.header.isStaged === true ? 'stage' : 'send';
}

export function isUnsent({ phase }: Pick<Summary, 'phase'>): boolean {
  return !isSent(phase);
}
