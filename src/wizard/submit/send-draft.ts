import type { Result } from '../../core/result.ts';
import type { Draft } from '../model/draft-schema.ts';
import type { Drafts } from '../model/drafts.ts';
import { createAsker, type WizardPorts } from '../questions/asker.ts';
import { DraftEditor } from '../questions/draft-editor.ts';
import { showReview } from './review.ts';
import { submit } from './submit-draft.ts';

export async function sendDraft(
  ports: WizardPorts,
  drafts: Drafts,
  draft: Draft,
): Promise<Result | 'not-sent'> {
  const editor = new DraftEditor(await createAsker(ports), drafts, draft);
  return submit(editor, async () => showReview(editor));
}
