import type { Sheet } from '../../compose/requisition-sheet.ts';
import type { Draft } from '../model/draft-schema.ts';
import type { Drafts } from '../model/drafts.ts';
import { apply, type Edit } from '../model/model.ts';
import type { Asker } from './asker.ts';

/** Every edit is saved before the next question. */
export class DraftEditor {
  readonly asker: Asker;
  readonly #drafts: Drafts;
  #draft: Draft;

  constructor(asker: Asker, drafts: Drafts, draft: Draft) {
    this.asker = asker;
    this.#drafts = drafts;
    this.#draft = draft;
  }

  get draft(): Draft {
    return this.#draft;
  }

  get sheet(): Sheet {
    return this.#draft.sheet;
  }

  get isKept(): boolean {
    return this.#drafts.keeps(this.#draft);
  }

  edit(...edits: readonly Edit[]): void {
    this.#save({ ...this.#draft, sheet: edits.reduce(apply, this.sheet) });
  }

  /** Records that a payload is about to be sent, so that its outcome can be found after a crash. */
  noteAttempt(fingerprint: string): void {
    const attempts = this.#draft.attempts.filter((one) => one !== fingerprint);
    this.#save({ ...this.#draft, attempts: [...attempts, fingerprint] });
  }

  discard(): void {
    this.#drafts.discard(this.#draft);
  }

  #save(draft: Draft): void {
    this.#draft = this.#drafts.save(draft);
  }
}
