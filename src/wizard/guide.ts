import type { Context } from '../core/command.ts';
import type { Result } from '../core/result.ts';
import { withList } from './lists/list-flag.ts';
import { resolveDoubts } from './lists/resolve-doubts.ts';
import type { Draft } from './model/draft-schema.ts';
import type { Drafts } from './model/drafts.ts';
import { createAsker } from './questions/asker.ts';
import { DraftEditor } from './questions/draft-editor.ts';
import { runWizard } from './run-wizard.ts';
import { resolveItems } from './submit/resolve-items.ts';
import { showReview } from './submit/review.ts';
import { reviewPayload } from './submit/review-payload.ts';
import { submit } from './submit/submit-draft.ts';

/** All of the wizard that asks, draws or sends; commands get it by `ctx.wizard()`. */
export const guide = {
  run: runWizard,
  withList,
  reviewPayload,
  resolveDoubts,
  resolveItems,
  submit: async (ctx: Context, drafts: Drafts, draft: Draft): Promise<Result | 'not-sent'> => {
    const editor = new DraftEditor(await createAsker(ctx), drafts, draft);
    return submit(editor, async () => showReview(editor));
  },
};

export type Guide = typeof guide;
