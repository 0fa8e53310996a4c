import { serviceOf } from '../client/service.ts';
import type { Context } from '../core/command.ts';
import { messageOf, ProcError } from '../core/errors.ts';
import type { Result } from '../core/result.ts';
import { ageText, guardMessages } from '../messages/guard.ts';
import { ask, settle } from './ask.ts';
import { type Asker, createAsker } from './asker.ts';
import { Desk } from './desk.ts';
import type { Draft } from './draft-schema.ts';
import { Drafts } from './drafts.ts';
import { startFrom } from './order-again.ts';
import { questionFor } from './questions.ts';
import { inputNeeded, mustBeHere } from './refusals.ts';
import { review } from './review.ts';
import { submit } from './submit.ts';

interface WizardStart {
  /** An earlier requisition to begin with. */
  readonly from?: string | undefined;
  /** A draft to go on with. */
  readonly draft?: string | undefined;
}

/** Asks for a requisition, shows it, sends it. Whatever happens, the draft stays until it is sent. */
export async function runWizard(ctx: Context, start: WizardStart): Promise<Result> {
  if (!ctx.terminal.interactive) throw inputNeeded('requisition wizard');
  const asker = await createAsker(ctx);
  const drafts = new Drafts(ctx.env, ctx.clock);
  // Read before the first question: a wrong key or address is better known before the typing.
  await asker.lookups.sectors();
  const draft =
    start.draft === undefined
      ? start.from === undefined
        ? await offerDrafts(asker, drafts)
        : undefined
      : drafts.get(start.draft);
  const desk = new Desk(asker, drafts, draft ?? drafts.fresh(await ctx.target()));
  if (draft !== undefined) mustBeHere(draft, (await ctx.target()).baseUrl);
  try {
    if (start.from !== undefined) await startFrom(desk, start.from);
    else if (draft === undefined) ctx.say({ kind: 'notice', text: asker.words.welcome });
    return await work(desk);
  } catch (thrown) {
    sayKept(desk);
    throw thrown;
  }
}

async function offerDrafts(asker: Asker, drafts: Drafts): Promise<Draft | undefined> {
  const { ctx, prompts, words } = asker;
  const service = serviceOf((await ctx.target()).baseUrl);
  const open = drafts
    .list((error) => ctx.say({ kind: 'warning', text: error.message }))
    .filter(({ baseUrl }) => serviceOf(baseUrl) === service);
  if (open.length === 0) return undefined;
  const ages = guardMessages[await ctx.lang()];
  return prompts.select<Draft | undefined>(words.resume.question, [
    ...open.map((draft) => ({
      name: words.resume.draft(
        draft.sheet.title ?? words.resume.untitled,
        ageText(ctx.clock.now() - draft.updated, ages),
      ),
      value: draft,
    })),
    { name: words.resume.fresh, value: undefined },
  ]);
}

async function work(desk: Desk): Promise<Result> {
  let failure: ProcError | undefined;
  for (;;) {
    await settle(desk);
    const wish = await review(desk);
    if (wish === 'changed') continue;
    if (wish === 'leave') {
      // Leaving after a failed submit is not a success: its exit code is the command's.
      if (failure !== undefined) throw failure;
      sayKept(desk);
      return { kind: 'none' };
    }
    try {
      const result = await submit(desk);
      if (result !== 'not-sent') return result;
    } catch (thrown) {
      failure = await afterFailure(desk, thrown);
    }
  }
}

/** Failures after which nothing is in doubt are no end: back to the field that was named, or the review. */
async function afterFailure(desk: Desk, thrown: unknown): Promise<ProcError> {
  const canGoOn =
    thrown instanceof ProcError &&
    !['outcome_unknown', 'interrupted', 'terminated'].includes(thrown.code);
  if (!canGoOn) throw thrown;
  const { ctx, words } = desk.asker;
  ctx.say({ kind: 'warning', text: `${words.review.refused} ${messageOf(thrown)}` });
  // What to run again is no matter here: the next question is the way on.
  if (thrown.hint !== undefined && thrown.code !== 'refused')
    ctx.say({ kind: 'notice', text: thrown.hint });
  for (const field of namedFields(thrown)) {
    const question = questionFor(field, desk.sheet);
    if (question === undefined) continue;
    await ask(desk, question);
    break;
  }
  return thrown;
}

function namedFields({ details }: ProcError): string[] {
  const issues = (details as { issues?: unknown } | null | undefined)?.issues;
  if (!Array.isArray(issues)) return [];
  return issues.flatMap(({ field }: { field?: unknown }) =>
    typeof field === 'string' && field !== '' ? [field] : [],
  );
}

function sayKept(desk: Desk): void {
  const { ctx, words } = desk.asker;
  const { id, revision } = desk.draft;
  if (revision > 0) ctx.say({ kind: 'notice', text: words.kept(id) });
}
