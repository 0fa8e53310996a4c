import {
  groupLabel,
  leftOutText,
  lineItemLabel,
  type Sheet,
} from '../compose/requisition-sheet.ts';
import { resolveItems } from '../compose/resolve-items.ts';
import { showSheet } from '../compose/review-table.ts';
import type { Context } from '../context.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import { EXIT } from '../core/exit-codes.ts';
import { isObject } from '../core/is-object.ts';
import type { RecordResult, Result, Row } from '../core/result.ts';
import { idText } from '../core/service/same-value.ts';
import { inShell } from '../core/text/typed.ts';
import { ageText } from '../core/time/duration.ts';
import { wasApplied } from '../history/entry.ts';
import { withHistory } from '../history/history.ts';
import { digestOf } from '../ledger/identity.ts';
import { createRequisition, REQUISITION_COLUMNS } from '../nouns/requisition/index.ts';
import { write } from '../write.ts';
import { ask, askMissing } from './ask.ts';
import { startFrom } from './order-again.ts';
import { nextQuestion, type Question, questionFor } from './questions.ts';
import { againCommand, payloadOf, review } from './review.ts';
import { openSession, type Session } from './session.ts';
import { Draft } from './wizard-draft.ts';

/** @param from the earlier requisition to start from */
export async function runWizard(ctx: Context, from: string | undefined): Promise<Result> {
  if (!ctx.io.terminal.interactive) {
    throw new ProcError(
      'invalid_usage',
      'requisition wizard asks questions, and there is no terminal to ask on',
      { hint: 'Use flags or a file instead: proc requisition create --help' },
    );
  }
  const { dryRun: isPreview } = ctx.flags;
  const draft = new Draft(await ctx.scope(), { ...ctx, isPreview });
  const session = openSession(ctx, draft);
  // A read before the first question shows a wrong API key or base URL before anything is typed.
  await session.sectors();
  try {
    const isResumed = await offerDraft(session);
    if (!isResumed && from === undefined) {
      session.say(
        'A new requisition, step by step. Every answer is saved at once: press Ctrl-C to leave, and resume later.',
      );
    }
    session.say(`Lists filter as you type. To go back to the previous question, answer "<".`);
    if (isResumed) {
      const next = nextQuestion(draft.sheet);
      // The review shows it otherwise.
      if (next.ask !== 'review') showSheet(draft.sheet, ctx);
      sayPlace(session, next);
    } else if (from !== undefined) await startFrom(session, from);
    return await work(session);
  } catch (thrown) {
    sayKept(session);
    if (!(thrown instanceof ProcError) || !isSignalled(thrown) || !draft.isKept) throw thrown;
    // A request that was under way has an entry in history.
    if (isObject(thrown.details) && 'historyId' in thrown.details) throw thrown;
    // Nothing went wrong: the answers are kept, and the sentence above says how to resume.
    return { kind: 'none', exitCode: thrown.exitCode };
  }
}

/** @returns false for a new requisition; the draft is replaced by its first answer */
async function offerDraft(session: Session): Promise<boolean> {
  const { draft, ctx, prompts } = session;
  if (!draft.isFound) return false;
  const age = ageText(ctx.clock.now() - draft.updated);
  const { unknown } = await earlierSends(session);
  const name = `${draft.sheet.title ?? 'untitled'}, ${age}`;
  const isResumed = await prompts.select('You have a draft. Resume it?', [
    { name: unknown ? `${name}; sent, outcome unknown` : name, value: true },
    { name: 'No, replace it by a new one', value: false },
  ]);
  if (!isResumed) draft.restart();
  return isResumed;
}

async function work(session: Session): Promise<Result> {
  const { draft } = session;
  let failure: ProcError | undefined;
  let shown: Sheet | undefined;
  let isAtSave = false;
  for (;;) {
    const action = await untilReached(session, async () => {
      await askMissing(session);
      // An unchanged review is not drawn again: it would push the last message off the screen.
      if (draft.sheet !== shown) showSheet(draft.sheet, session.ctx);
      shown = draft.sheet;
      return review(session, isAtSave);
    });
    isAtSave = action === 'saved';
    if (action === 'changed' || action === 'saved') continue;
    if (action === 'leave') {
      // After a failed submit, leaving is not a success: the command ends with the failure.
      if (failure !== undefined) throw failure;
      sayKept(session);
      return { kind: 'none' };
    }
    try {
      const result = await submit(session);
      if (result !== undefined) return result;
    } catch (thrown) {
      const isFinal = !(thrown instanceof ProcError) || thrown.code === 'outcome_unknown';
      if (isFinal || isSignalled(thrown)) throw thrown;
      failure = thrown;
      await askAgain(session, thrown);
    }
  }
}

/** If the service cannot be reached, offers to run the step again instead of ending the wizard. */
async function untilReached<T>(session: Session, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || thrown.exitCode !== EXIT.unreachable) throw thrown;
      sayFailure(session, thrown, true);
      if (!(await session.prompts.confirm('Try again?', true))) throw thrown;
      session.say('Retrying.');
    }
  }
}

/** Says the failure, and asks again for the first field that it names. */
async function askAgain(session: Session, error: ProcError): Promise<void> {
  const { issues } = (error.details ?? {}) as { issues?: unknown };
  const named = (Array.isArray(issues) ? issues : []).flatMap(({ field }: { field?: unknown }) =>
    typeof field === 'string' ? (questionFor(field, session.draft.sheet) ?? []) : [],
  );
  const [question] = named;
  sayFailure(session, error, question === undefined);
  if (question === undefined) return;
  sayPlace(session, question);
  await ask(session, question);
}

function sayFailure(session: Session, error: ProcError, isHinted: boolean): void {
  const { code, exitCode, message, hint } = error;
  const isUnreachable = code === 'unreachable' || code === 'timed_out';
  const isUnsent = exitCode === EXIT.usage || exitCode === EXIT.configuration;
  const what = isUnreachable
    ? 'Cannot reach the service:'
    : exitCode === EXIT.unreachable
      ? 'The service failed:'
      : isUnsent
        ? 'Not sent:'
        : 'The service refused the requisition:';
  session.warn(`${what} ${message}`);
  if (hint !== undefined && isHinted && code !== 'refused') session.say(hint);
  if (exitCode === EXIT.unreachable && session.draft.isKept) {
    session.say(
      'Nothing is lost: the draft has all your answers. Try again now, or later with: proc requisition wizard',
    );
  }
}

/** The screen may not show which group and line the next question is about, e.g. `"Plant", "wrench"`. */
function sayPlace({ draft: { sheet }, say }: Session, question: Question): void {
  if (!('group' in question)) return;
  const group = groupLabel(sheet, question.group);
  const line = 'line' in question ? sheet.groups[question.group]!.lines[question.line] : undefined;
  say(`In ${line?.item === undefined ? group : `${group}, "${lineItemLabel(line)}"`}:`);
}

function sayKept({ draft, say }: Session): void {
  if (draft.isKept) say('Saved as a draft. To resume: proc requisition wizard');
}

/**
 * Sends a draft in which nothing is missing.
 *
 * @returns undefined if the person decides against it
 * @throws ProcError the error of the service or the confirmation; the draft stays
 */
async function submit(session: Session): Promise<RecordResult | undefined> {
  const { draft, ctx, say } = session;
  const given = payloadOf(draft.sheet);
  // A preview shows the body whatever was sent before.
  const earlier = ctx.flags.dryRun ? false : await sentBefore(session, digest(given));
  if (earlier === 'keep') return undefined;
  if (typeof earlier === 'object') {
    draft.discard();
    return earlier;
  }
  const count = given.groups.length === 1 ? '1 group' : `${given.groups.length} groups`;
  const what = `create requisition "${given.title}" with ${count}`;
  return write(
    ctx,
    createRequisition,
    async () => {
      const met = new Map();
      const place = (field: string) => field;
      const body = await resolveItems(given, { met, place }, ctx);
      draft.noteAttempt(digest(given));
      if (!ctx.flags.dryRun) say('Sending the requisition.');
      return { body };
    },
    { what, given, chosen: earlier ? 'again' : 'once' },
    (value) => {
      draft.discard();
      const leftOut = draft.sheet.groups.flatMap((group) => group.leftOut ?? []);
      if (leftOut.length > 0) say(leftOutText(leftOut));
      say(`To order it again: ${againCommand(idText(value.requisitionId) ?? '', ctx.flags)}`);
      return done(value);
    },
  );
}

function done(value: Row): RecordResult {
  return { kind: 'record', columns: REQUISITION_COLUMNS, value, idField: 'requisitionId' };
}

function digest(payload: unknown): string {
  return digestOf(createRequisition.method, createRequisition.path, payload);
}

/** What became of earlier attempts to send the draft, the newest of each kind. */
async function earlierSends({ draft, ctx }: Session) {
  if (draft.attempts.length === 0) return {};
  const scope = await ctx.scope();
  const entries = await withHistory(ctx, [], (history) =>
    history.entries({ scope, noun: 'requisitions', since: draft.created }),
  );
  const sent = entries.filter((entry) => draft.attempts.includes(entry.digest));
  return {
    created: sent.filter(wasApplied),
    unknown: sent.find(({ state }) => state === 'unknown'),
  };
}

/**
 * A draft may have been sent already: its process was killed before it could remove the draft.
 *
 * @returns what it has created, if it is the same; 'keep' to send nothing; whether it is sent again
 */
async function sentBefore(
  session: Session,
  present: string,
): Promise<RecordResult | 'keep' | boolean> {
  const { ctx, prompts, say, warn } = session;
  const { created = [], unknown } = await earlierSends(session);
  const ago = (at: number) => ageText(ctx.clock.now() - at);
  const same = created.find((entry) => entry.digest === present);
  if (same !== undefined) {
    say(
      `This requisition was created ${ago(same.at)} as ${same.created}, so proc does not send it again.`,
    );
    return done({ requisitionId: same.created ?? '' });
  }
  const entry = unknown ?? created[0];
  if (entry === undefined) return false;
  if (ctx.flags.again) return true;
  const became =
    entry === unknown
      ? 'and the outcome is unknown. If it arrived, sending it again orders everything twice, and a requisition cannot be undone'
      : `and created ${entry.created}. It has changed since, and ${entry.created} does not have these changes`;
  warn(
    `This draft was sent ${ago(entry.at)} ${became}. Check first: proc history show ${inShell(entry.id)}`,
  );
  if (await prompts.confirm('Send it anyway, as another requisition?', false)) return true;
  say('Not sent.');
  return 'keep';
}
