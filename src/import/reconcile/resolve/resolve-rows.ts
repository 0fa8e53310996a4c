import { declined, ProcError } from '../../../core/errors.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import type { Ports } from '../../../core/ports.ts';
import { problemIn } from '../../../core/problem/row-problem.ts';
import { sentenceIn } from '../../../core/problem/sentence.ts';
import type { Result } from '../../../core/result.ts';
import { grouped } from '../../../core/text/decimal.ts';
import { typedAgain } from '../../../core/text/typed.ts';
import { needsConfirmation } from '../../../terminal/confirm-change.ts';
import { hasEnded } from '../../phases.ts';
import { recordEnd } from '../../record-run.ts';
import { conclude } from '../../report/old-conclude.ts';
import { resumeCommand } from '../../report/old-next-steps.ts';
import { countedIn, countedWord, countOf } from '../../report/words.ts';
import { refuseUnsent, whichRun } from '../../resume/which-run.ts';
import { isSameBoot } from '../../run-clock.ts';
import type { Unconfirmed } from '../../store/looked-up-rows.ts';
import type { Run } from '../../store/run-file.ts';
import { summary } from '../../store/run-summary.ts';
import { answerEarlier, updateFromOtherRuns } from '../../store/sent-before.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import { withRun } from '../../with-run.ts';
import { type Checked, checkDecided } from './check-decided.ts';
import {
  chosen,
  type Decided,
  type Decision,
  decidedByFlags,
  decisionOf,
  type NamedRow,
  type Plan,
  type ResolveFlags,
  type Resolving,
} from './decision.ts';

/** Maximum length of a request body in a question. */
const SHOWN = 300;

type ResolvePorts = Ports<'io' | 'api' | 'ask' | 'store' | 'self'>;

/**
 * Records the outcome of unconfirmed rows: created with an id, to be sent again, or dropped.
 * Without a decision, proc asks row by row. Sends nothing: `imports resume` sends the rows.
 *
 * @param args the run, and numbers or codes of rows; without rows, all unconfirmed rows
 * @throws ProcError `invalid_usage`, `confirmation_required`, `reference_not_found`, `incomplete`
 */
export async function resolveRows(
  targets: readonly ImportTarget[],
  args: { readonly run: string; readonly row?: readonly string[] | undefined },
  flags: ResolveFlags,
  ports: ResolvePorts,
): Promise<Result> {
  const typed = args.row ?? [];
  const given = decisionOf(flags, typed, ports.self.typed);
  const resolving = { ...(await whichRun(targets, args.run, ports)), typed, flags, given };
  return resolve(resolving, ports);
}

async function resolve(resolving: Resolving, ports: ResolvePorts): Promise<Result> {
  const { target, flags } = resolving;
  return withRun(resolving, { waitMs: flags.waitLock, remakes: true }, ports, async (run) => {
    refuseUnsent(run);
    await sayIfRemade(run, ports);
    run.interrupt(isSameBoot(ports.self.clock, run));
    const checked = { ...resolving, run };
    const named = namedRows(checked);
    if (target.listing === undefined) await updateFromOtherRuns(run, ports);
    const plan = planOf(named, checked, ports);
    const { decided, open, rest } = plan;
    if (decided.length + open.length + rest > 0) {
      await confirmDecided(plan, checked, ports);
      await record(await checkDecided(decided, checked, ports), checked, ports);
      for (const row of open)
        await record(await askUntilChecked(row, checked, ports), checked, ports);
      if (rest > 0) run.commit(() => run.rows.writer.giveUp());
      if (flags.drop && flags.all && !hasEnded(run.phase))
        await run.advance('end', { finishedAt: ports.self.clock.now() });
      await sayHowToResend(run, ports);
    }
    const { failure, ...concluded } = await conclude(run, undefined, ports);
    await recordEnd(run, undefined, ports);
    return summary(run).counts.unconfirmed > 0 ? { ...concluded, failure } : concluded;
  });
}

async function sayIfRemade(run: Run, { io }: ResolvePorts): Promise<void> {
  if (run.get('isRemade') !== true) return;
  const text = `the file of ${run.header.run} was not here: its rows come from the ledger, which has those that were sent or may have been; for the others, import the source again`;
  io.say({ kind: 'warning', text });
}

/** The rows that the command line means. */
function namedRows({ run, typed }: Checked): readonly NamedRow[] {
  return chosen(run.rows.unconfirmed.all(), typed, run.header.run);
}

/** @param named may be settled by now: other runs may have found their outcomes */
function planOf(
  named: readonly NamedRow[],
  { run, target, ...given }: Checked,
  ports: ResolvePorts,
): Plan {
  const open = new Set(run.rows.unconfirmed.all().map(({ row }) => row));
  const rows = named.filter(({ row }) => open.has(row.row));
  return decidedByFlags(rows, run.counts().pending, { ...given, target }, ports);
}

/**
 * Writes all decisions, or none. If a row inherited an unconfirmed write, also records the decision in
 * the earlier run or command.
 */
async function record(
  decided: readonly Decided[],
  { run }: Checked,
  ports: ResolvePorts,
): Promise<void> {
  if (decided.length === 0) return;
  const isResent = decided.some(({ decision }) => decision.kind === 'resend');
  // First: a kill before the decisions are recorded leaves a run whose rows a resume looks up.
  if (isResent) await run.advance('reopen');
  run.commit(() => {
    for (const { row, decision } of decided) {
      if (decision.kind === 'adopt')
        run.rows.writer.apply(row.row, 'resolve', 'created', { id: decision.id });
      else if (decision.kind === 'resend') run.rows.writer.apply(row.row, 'resolve', 'pending');
      else {
        const reason = row.reason === null ? null : problemIn(row.reason);
        run.rows.writer.apply(row.row, 'resolve', 'dropped', { reason });
      }
    }
  });
  if (decided.some(({ row }) => row.fingerprint !== null)) {
    await answerEarlier(run, decided, ports);
  }
}

async function sayHowToResend(run: Run, ports: ResolvePorts): Promise<void> {
  if (run.counts().pending === 0) return;
  const text = `to send these rows again, run: ${resumeCommand(run, ports)}`;
  ports.io.say({ kind: 'notice', text });
}

/**
 * Asks before one outcome for all unconfirmed rows is recorded. A script that gives `--resend` or `--drop` without a row
 * must add `--all --yes`.
 *
 * @throws ProcError `confirmation_required`, `declined`
 */
async function confirmDecided(
  plan: Plan,
  { run: { header }, typed, given, flags: { all } }: Checked,
  { io, ask, self }: ResolvePorts,
): Promise<void> {
  if (typed.length > 0 || given === undefined || given.kind === 'adopt') return;
  const { interactive } = io.terminal;
  const missing = [...(all || interactive ? [] : ['--all']), ...(self.flags.yes ? [] : ['--yes'])];
  if (missing.length === 0) return;
  if (!interactive) {
    const counts = countsOf(plan);
    const { resend, drop } = counts;
    throw new ProcError(
      'confirmation_required',
      `${needsConfirmation('record one outcome for all unconfirmed rows')}: ${resend} to resend, ${drop} to drop; nothing was changed`,
      {
        hint: `Name the rows, or add ${missing.join(' ')}: ${typedAgain(self.typed, missing)}`,
        details: counts,
      },
    );
  }
  const { decided, rest } = plan;
  const n = decided.length;
  const of = countedIn(header);
  const unconfirmed =
    n === 1
      ? `the unconfirmed ${countedWord(1, of)}`
      : `all ${grouped(n)} unconfirmed ${countedWord(n, of)}`;
  const pending = `${countOf(rest, of)} not sent yet`;
  const which = rest === 0 ? unconfirmed : n === 0 ? pending : `${unconfirmed} and ${pending}`;
  const question =
    given.kind === 'drop'
      ? `Drop ${which} of ${header.run}? This cannot be undone.`
      : `Send ${which} of ${header.run} again when it is resumed?`;
  if (!(await ask.confirm(question, false))) throw declined('local');
}

/** Asks for the outcome of a row until the answer agrees with the list. */
async function askUntilChecked(
  row: Unconfirmed,
  checked: Checked,
  ports: ResolvePorts,
): Promise<readonly Decided[]> {
  for (;;) {
    const decision = await askOutcome(row, ports);
    if (decision === undefined) return [];
    try {
      return await checkDecided([{ row, decision }], checked, ports);
    } catch (thrown) {
      const isAnswer =
        thrown instanceof ProcError &&
        (thrown.exitCode === EXIT.usage || thrown.exitCode === EXIT.incomplete);
      if (!isAnswer) throw thrown;
      const { message, hint } = thrown;
      ports.io.say({ kind: 'warning', text: [message, hint].filter(Boolean).join('\n') });
    }
  }
}

/** @returns undefined if the row stays unconfirmed */
async function askOutcome(one: Unconfirmed, ports: ResolvePorts): Promise<Decision | undefined> {
  const { row, code, reason, sent_at: sentAt, body } = one;
  const at = sentAt === null ? undefined : new Date(sentAt).toISOString();
  const text = body.length > SHOWN ? `${body.slice(0, SHOWN - 1)}…` : body;
  ports.io.say({
    kind: 'notice',
    text: `row ${row}${code === null ? '' : ` (${code})`}${at === undefined ? '' : `, sent ${at}`}: ${sentenceIn(reason) ?? 'no response was recorded'}\n  ${text}`,
  });
  const choice = await ports.ask.select<Decision['kind'] | 'leave'>(
    `What was the outcome of row ${one.row}?`,
    [
      { name: 'I do not know yet', value: 'leave' },
      { name: 'It was created: enter its id', value: 'adopt' },
      { name: 'It was not created: send it again', value: 'resend' },
      { name: 'Drop the row', value: 'drop' },
    ],
  );
  if (choice === 'leave') return undefined;
  if (choice !== 'adopt') return { kind: choice };
  const id = await ports.ask.input('Id of the created record', {
    validate: (answer) => (answer.trim() === '' ? 'Id of the created record' : undefined),
  });
  return { kind: 'adopt', id: id.trim() };
}

function countsOf({ decided, rest }: Plan) {
  const of = (kind: Decision['kind']) => decided.filter((one) => one.decision.kind === kind).length;
  return { adopt: of('adopt'), resend: of('resend'), drop: of('drop') + rest };
}
