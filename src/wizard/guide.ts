import type { Context } from '../core/command.ts';
import type { Result } from '../core/result.ts';
import { createAsker } from './asker.ts';
import { Desk } from './desk.ts';
import type { Draft } from './draft-schema.ts';
import type { Drafts } from './drafts.ts';
import { withList } from './list-flag.ts';
import { showReview } from './review.ts';
import { reviewPayload } from './review-payload.ts';
import { runWizard } from './run.ts';
import { settleDoubts } from './settle-doubts.ts';
import { settleItems } from './settle-items.ts';
import { submit } from './submit.ts';

/** All of the wizard that asks, draws or sends; commands get it by `ctx.wizard()`. */
export const guide = {
  run: runWizard,
  withList,
  reviewPayload,
  settleDoubts,
  settleItems,
  submit: async (ctx: Context, drafts: Drafts, draft: Draft): Promise<Result | 'not-sent'> => {
    const desk = new Desk(await createAsker(ctx), drafts, draft);
    return submit(desk, async () => showReview(desk));
  },
};

export type Guide = typeof guide;
