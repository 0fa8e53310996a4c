import { findEarlier } from '../compose/earlier.ts';
import {
  groupLabel,
  leftOutText,
  lineItemLabel,
  lineLabel,
  type Sheet,
  sheetOf,
} from '../compose/requisition-sheet.ts';
import { resolveItems } from '../compose/resolve-items.ts';
import { showSheet } from '../compose/review-table.ts';
import type { Context } from '../context.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import { idText, isObject } from '../core/json.ts';
import type { RecordResult, Result } from '../core/result.ts';
import { ageText } from '../core/time.ts';
import { inShell } from '../core/wording.ts';
import { type Entry, wasApplied } from '../history/entry.ts';
import { withHistory } from '../history/history.ts';
import { digestOf } from '../ledger/rows.ts';
import { createRequisition, REQUISITION_COLUMNS } from '../nouns/requisition/index.ts';
import { write } from '../write.ts';
import { ask, askMissing } from './ask.ts';
import { nextQuestion, type Question } from './questions.ts';
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
  const { draft, ctx, prompts, warn } = session;
  if (!draft.isFound) return false;
  const age = ageText(ctx.clock.now() - draft.stored.updated);
  const sent = await earlierSend(session);
  if (sent !== undefined) {
    const became =
      sent.state === 'unknown'
        ? 'and the outcome is unknown. If it arrived, sending it again orders everything twice, and a requisition cannot be undone'
        : `and created ${sent.created}`;
    const ago = ageText(ctx.clock.now() - sent.at);
    warn(`This draft was sent ${ago} ${became}. Check it: proc history show ${inShell(sent.id)}`);
  }
  const isResumed = await prompts.select(
    'You have a draft. Resume it?',
    [
      { name: `${draft.sheet.title ?? 'untitled'}, ${age}`, value: true },
      { name: 'No, replace it by a new one', value: false },
    ],
    sent === undefined ? 0 : 1,
  );
  if (!isResumed) draft.restart();
  return isResumed;
}

/** The last time that the draft was sent and may have created something: its process was killed, or the answer is lost. */
async function earlierSend({ draft, ctx }: Session): Promise<Entry | undefined> {
  if (draft.stored.attempts.length === 0) return undefined;
  const scope = await ctx.scope();
  const entries = await withHistory(ctx, [], (history) =>
    history.entries({ scope, noun: 'requisitions', since: draft.stored.created }),
  );
  return entries.find(
    (entry) =>
      draft.stored.attempts.includes(entry.digest) &&
      (wasApplied(entry) || entry.state === 'unknown'),
  );
}

/** Fills the draft from an earlier requisition, then asks for its title and what else may differ. */
async function startFrom(session: Session, from: string): Promise<void> {
  const { draft, say, warn } = session;
  // Your own code names one requisition.
  const { code: _, ...earlier } = await findEarlier(from, session.ctx);
  const byId = new Map((await session.catalogue()).map((item) => [item.id, item]));
  const sheet = sheetOf(earlier, (id) => byId.get(id));
  say(`Ordering again: ${earlier.title}`);
  for (const group of sheet.groups) {
    const { address } = group;
    if (address && (await session.address(address.id)) === undefined) {
      warn(`The service has no address "${address.id}".`);
      delete group.address;
    }
    for (const line of group.lines) {
      if (line.item?.kind !== 'new') continue;
      // The earlier requisition created the item. It is found in the catalogue like an item of a pasted list.
      const { code, name } = line.item.fields;
      line.text = `${line.quantity}\t${code ?? name}`;
      delete line.item;
    }
  }
  draft.edit((empty) => Object.assign(empty, sheet));
  await ask(session, { ask: 'title' });
  for (;;) {
    const next = nextQuestion(draft.sheet);
    if (next.ask !== 'item') break;
    await ask(session, next);
  }
  await changeQuantities(session);
}

async function changeQuantities(session: Session): Promise<void> {
  const places = session.draft.sheet.groups.flatMap(({ lines }, group) =>
    lines.map((each, line) => ({ name: lineLabel(each), value: { group, line } })),
  );
  if (places.length === 0) return;
  const text = 'Which quantities do you want to change?';
  for (const place of await session.prompts.checkbox(text, places)) {
    await ask(session, { ask: 'quantity', ...place });
  }
}

async function work(session: Session): Promise<Result> {
  const { draft } = session;
  let failure: ProcError | undefined;
  let shown: Sheet | undefined;
  for (;;) {
    await askMissing(session);
    // An unchanged review is not drawn again: it would push the last message off the screen.
    if (draft.sheet !== shown) showSheet(draft.sheet, session.ctx);
    shown = draft.sheet;
    const action = await review(session);
    if (action === 'changed') continue;
    if (action === 'leave') {
      // After a failed submit, leaving is not a success: the command ends with the failure.
      if (failure !== undefined) throw failure;
      sayKept(session);
      return { kind: 'none' };
    }
    try {
      return await submit(session);
    } catch (thrown) {
      const isFinal = !(thrown instanceof ProcError) || thrown.code === 'outcome_unknown';
      if (isFinal || isSignalled(thrown)) throw thrown;
      failure = thrown;
      session.ctx.io.complain(thrown);
    }
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
 * @throws ProcError the error of the service or the confirmation; the draft stays
 */
async function submit({ draft, ctx, say }: Session): Promise<RecordResult> {
  const given = payloadOf(draft.sheet);
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
    { what, given, isChosen: true },
    (value) => {
      draft.discard();
      const leftOut = draft.sheet.groups.flatMap((group) => group.leftOut ?? []);
      if (leftOut.length > 0) say(leftOutText(leftOut));
      say(`To order it again: ${againCommand(idText(value.requisitionId) ?? '', ctx.flags)}`);
      return { kind: 'record', columns: REQUISITION_COLUMNS, value, idField: 'requisitionId' };
    },
  );
}

function digest(payload: unknown): string {
  return digestOf(createRequisition.method, createRequisition.path, payload);
}
