import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Result } from '../../../core/result.ts';
import { Journal } from '../../ledger/journal.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import { summary } from '../../ledger/run-summary.ts';
import { rowsIn } from '../../report/words.ts';
import { settleMsOf } from '../../run-options.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { checkAdoption } from './adoption.ts';
import { checkDecision, type Decision, type ResolveFlags } from './decision.ts';
import { decideResend } from './resend.ts';
import { type Resolving, refuseUnsent } from './resolve-run.ts';
import { chosen, decisionMissing, NAMED } from './unconfirmed.ts';

export async function previewResolve(
  { path, target, typed, given }: Resolving,
  flags: ResolveFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  const journal = Journal.read(path);
  try {
    refuseUnsent(journal);
    const { header } = journal;
    const rows = chosen(journal.unconfirmed.all(), typed, header.run);
    if (rows.length > 0) {
      checkDecision(given, rows, header, target);
      if (given === undefined && !ports.io.terminal.interactive)
        throw decisionMissing(header, rows);
      await checkInList(journal, target, rows, given, flags, ports);
    }
    const left = summary(journal).counts.unknown - (given === undefined ? 0 : rows.length);
    return {
      kind: 'record',
      idField: 'run',
      value: {
        run: header.run,
        decision: given?.kind ?? null,
        ...(given?.kind === 'adopt' ? { adopt: given.id } : {}),
        resolves: rows.length,
        rows: rows.slice(0, NAMED).map(({ row, code }) => ({ row, code })),
        unknown: left,
      },
      failure:
        left > 0
          ? new ProcError(
              'outcome_unknown',
              `${rowsIn(left, 'row', 'rows')} would stay unconfirmed`,
              { details: { run: header.run, unknown: left } },
            )
          : undefined,
    };
  } finally {
    journal.close();
  }
}

async function checkInList(
  journal: Journal,
  target: ImportTarget,
  rows: readonly Unconfirmed[],
  given: Decision | undefined,
  flags: ResolveFlags,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
): Promise<void> {
  if (given === undefined || given.kind === 'drop') return;
  if (ports.self.flags.offline || (await ports.api.target()).key === undefined) {
    if (target.listing === undefined) return;
    const text = `the rows were not verified: the list of ${target.many} was not read`;
    ports.io.say({ kind: 'warning', text });
    return;
  }
  if (given.kind === 'adopt') await checkAdoption(journal, target, rows[0]!, given.id, ports);
  else {
    const settleMs = await settleMsOf(flags, ports);
    await decideResend(journal, target, rows, settleMs, ports);
  }
}
