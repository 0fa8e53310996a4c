import type { Context } from '../core/command.ts';
import type { Result } from '../core/result.ts';
import { createAsker } from './asker.ts';
import { Desk } from './desk.ts';
import type { Draft } from './draft-schema.ts';
import type { Drafts } from './drafts.ts';
import { withList } from './list-flag.ts';
import { runWizard } from './run.ts';
import { settleDoubts } from './settle-doubts.ts';
import { submit } from './submit.ts';

/** All of the wizard that asks, draws or sends; commands get it by `ctx.wizard()`. */
export const guide = {
  run: runWizard,
  withList,
  settleDoubts,
  submit: async (ctx: Context, drafts: Drafts, draft: Draft): Promise<Result | 'not-sent'> =>
    submit(new Desk(await createAsker(ctx), drafts, draft)),
};

export type Guide = typeof guide;
