import { groupLabel, lineItemLabel, type Sheet } from '../compose/requisition-sheet.ts';
import type { WizardMessages } from '../compose/wizard-words.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import { EXIT } from '../core/exit-codes.ts';
import type { Ports } from '../core/ports.ts';
import type { Result } from '../core/result.ts';
import { ageText } from '../core/time/age.ts';
import { outcomesOf } from './model/attempts.ts';
import type { Draft } from './model/draft-schema.ts';
import { DRAFTS } from './model/drafts.ts';
import { nextQuestion, type Question, questionFor } from './model/questions.ts';
import { startFrom } from './order-again.ts';
import { ask, askMissing } from './questions/ask-missing.ts';
import { type Asker, createAsker, type WizardPorts } from './questions/asker.ts';
import { DraftEditor } from './questions/draft-editor.ts';
import { review, showReview } from './submit/review.ts';
import { submit } from './submit/submit-draft.ts';

interface WizardStart {
  readonly from?: string | undefined;
}

export async function runWizard(
  ports: WizardPorts & Ports<'input'>,
  start: WizardStart,
): Promise<Result> {
  if (!ports.io.terminal.interactive) {
    throw new ProcError(
      'invalid_usage',
      'requisition wizard asks questions, and there is no terminal to ask on',
      { hint: 'Use flags or a file instead: proc requisition create --help' },
    );
  }
  const asker = await createAsker(ports);
  const drafts = await ports.store.open(DRAFTS);
  // A read before the first question shows a wrong API key or base URL before anything is typed.
  await asker.lookups.sectors();
  const scope = await ports.store.scope();
  const { organization } = scope;
  const draft = await offerDraft(asker, drafts.find(scope));
  const fresh = drafts.fresh({ ...(await ports.api.target()), organization });
  const editor = new DraftEditor(asker, drafts, draft ?? fresh);
  try {
    if (draft === undefined && start.from === undefined)
      ports.io.say({ kind: 'notice', text: asker.words.welcome });
    sayHint(asker);
    if (draft !== undefined) sayPlace(editor, nextQuestion(editor.sheet));
    else if (start.from !== undefined) await startFrom(editor, start.from, ports);
    return await work(editor);
  } catch (thrown) {
    sayKept(editor);
    throw thrown;
  }
}

/** @returns undefined to begin a new requisition; the draft is replaced by its first answer */
async function offerDraft(asker: Asker, draft: Draft | undefined): Promise<Draft | undefined> {
  if (draft === undefined) return undefined;
  const { ports, prompts, words } = asker;
  const title = draft.sheet.title ?? words.resume.untitled;
  const name = words.resume.draft(title, ageText(ports.self.clock.now() - draft.updated));
  const { unknown } = await outcomesOf(draft, ports);
  return prompts.select<Draft | undefined>(words.resume.question, [
    { name: unknown ? words.resume.unconfirmed(name) : name, value: draft },
    { name: words.resume.fresh, value: undefined },
  ]);
}

async function work(editor: DraftEditor): Promise<Result> {
  let failure: ProcError | undefined;
  let shown: Sheet | undefined;
  let isAtSave = false;
  for (;;) {
    const action = await untilReached(editor, async () => {
      await askMissing(editor);
      // An unchanged review is not drawn again: it would push the last message off the screen.
      if (editor.sheet !== shown) showReview(editor);
      shown = editor.sheet;
      return review(editor, isAtSave);
    });
    isAtSave = action === 'saved';
    if (action === 'changed' || action === 'saved') continue;
    if (action === 'leave') {
      // After a failed submit, leaving is not a success: the command ends with the failure.
      if (failure !== undefined) throw failure;
      sayKept(editor);
      return { kind: 'none' };
    }
    try {
      const result = await submit(editor);
      if (result !== 'not-sent') return result;
    } catch (thrown) {
      failure = await afterFailure(editor, thrown);
    }
  }
}

/** If the service cannot be reached, offers to run the step again instead of ending the wizard. */
async function untilReached<T>(editor: DraftEditor, step: () => Promise<T>): Promise<T> {
  const { ports, prompts, words } = editor.asker;
  for (;;) {
    try {
      return await step();
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || thrown.exitCode !== EXIT.unreachable) throw thrown;
      await sayFailure(editor, thrown);
      if (!(await prompts.confirm(words.failed.tryAgain, true))) throw thrown;
      ports.io.say({ kind: 'notice', text: words.failed.tryingAgain });
    }
  }
}

/**
 * Prints the failure, and asks again for the first field that the error names. Ends the wizard
 * after a signal, or if the outcome is unknown.
 */
async function afterFailure(editor: DraftEditor, thrown: unknown): Promise<ProcError> {
  const canGoOn =
    thrown instanceof ProcError && thrown.code !== 'outcome_unknown' && !isSignalled(thrown);
  if (!canGoOn) throw thrown;
  await sayFailure(editor, thrown);
  for (const field of namedFields(thrown)) {
    const question = questionFor(field, editor.sheet);
    if (question === undefined) continue;
    sayPlace(editor, question);
    await ask(editor, question);
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

async function sayFailure(editor: DraftEditor, error: ProcError): Promise<void> {
  const { ports, words } = editor.asker;
  const { message, hint } = error;
  ports.io.say({ kind: 'warning', text: `${words.failed[kindOf(error)]} ${message}` });
  // The hint of a rejection is left out: the wizard asks again for the field that the error names.
  if (hint !== undefined && error.code !== 'refused') ports.io.say({ kind: 'notice', text: hint });
  if (error.exitCode === EXIT.unreachable && editor.isKept) {
    ports.io.say({ kind: 'notice', text: words.failed.kept });
  }
}

function kindOf({ code, exitCode }: ProcError): 'unreachable' | 'broken' | 'refused' | 'notSent' {
  if (code === 'unreachable' || code === 'timed_out') return 'unreachable';
  if (exitCode === EXIT.unreachable) return 'broken';
  return exitCode === EXIT.usage || exitCode === EXIT.configuration ? 'notSent' : 'refused';
}

/** For plain prompts (`ACCESSIBLE`), leaves out the sentence which says that typing filters a list. */
function sayHint({ ports, words }: Asker): void {
  const { lists, back } = words.hint;
  const text = ports.io.terminal.accessible ? back : `${lists} ${back}`;
  ports.io.say({ kind: 'notice', text });
}

/** The screen may not show which group and line the next question is about. */
function sayPlace(editor: DraftEditor, question: Question): void {
  const { ports, words } = editor.asker;
  const place = placeLabel(editor.sheet, question, words);
  if (place !== undefined) ports.io.say({ kind: 'notice', text: words.resume.at(place) });
}

function sayKept(editor: DraftEditor): void {
  const { ports, words } = editor.asker;
  if (editor.isKept) ports.io.say({ kind: 'notice', text: words.kept });
}

/**
 * The group and line that a question is about, e.g. `"Plant", "wrench"`. Undefined if the question
 * is about the whole requisition.
 */
function placeLabel(sheet: Sheet, question: Question, words: WizardMessages): string | undefined {
  if (!('group' in question)) return undefined;
  const group = groupLabel(sheet, question.group, words);
  const line = 'line' in question && sheet.groups[question.group]?.lines[question.line];
  return line && line.item !== undefined ? `${group}, "${lineItemLabel(line, words)}"` : group;
}
