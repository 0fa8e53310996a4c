import {
  CodeChanges,
  changeText,
  type SeenChange,
  storedCode,
} from '../../core/service/code-change.ts';
import type { Listed } from '../../listing/listing.ts';
import type { Search } from '../../listing/search.ts';
import type { Run } from '../store/run-file.ts';
import type { SendQueue } from '../store/send-queue.ts';

/** How the service changes codes, as its answers show. Pending rows are compared with the list in that form. */
export class ChangedCodes {
  readonly changes: CodeChanges;
  readonly #run: Run;
  readonly #queue: SendQueue;
  /** This process has seen the change, and not only an earlier one. */
  #isNew = false;

  constructor(run: Run, queue: SendQueue) {
    this.changes = new CodeChanges(run.get('codesChanged'));
    this.#run = run;
    this.#queue = queue;
  }

  /** Stores the change that explains a code. @returns false if the run knows it already */
  note(sent: string, stored: string): boolean {
    const known = this.#run.get('codesChanged');
    const { change } = this.changes;
    if (change === undefined || known?.name === change.name) {
      return false;
    }
    this.#run.set('codesChanged', { ...change, sent, stored });
    this.#isNew = true;
    return true;
  }

  /** Why the run stops if the catalogue has a record with the stored code. */
  metBy(sent: string, stored: string): string | undefined {
    const [id] = this.#run.rows.catalogue.idsOf('code', stored);
    return id === undefined ? undefined : metText({ ...this.changes.change!, sent, stored }, id);
  }

  /**
   * Settles the pending rows whose codes exist in the form in which the service stores them.
   *
   * @returns why the run stops, if it does
   * @throws ProcError if the list cannot be read
   */
  async compare(searching: () => Search): Promise<string | undefined> {
    const run = this.#run;
    const change = run.get('codesChanged');
    if (change === undefined) return undefined;
    const { planned } = run.rows;
    planned.storeAs(change);
    if (run.get('baseline') === 'searched') {
      const why = await this.#search(change, searching());
      if (why !== undefined) return why;
    }
    const { choices } = run.header;
    const found = choices.onExisting === 'fail' ? planned.countInCatalogue() : 0;
    if (found > 0)
      return `the service stores codes ${changeText(change)}, and ${found === 1 ? '1 pending row exists' : `${found} pending rows exist`} in that form (--on-existing fail)`;
    this.#queue.markChanged(choices);
    return undefined;
  }

  /**
   * If the list was searched for codes, it must be searched for the codes as the service stores them too.
   *
   * @returns why the run stops: a record has the code that showed the change, or a search proves nothing
   */
  async #search(change: SeenChange, search: Search): Promise<string | undefined> {
    const { planned, unconfirmed, catalogue } = this.#run.rows;
    if (this.#isNew) {
      const own = new Set(unconfirmed.members('code', change.sent).map(({ id }) => id));
      const first = await search.find(change.stored);
      const met = first.kind === 'unproved' ? undefined : first.ids.find((id) => !own.has(id));
      if (met !== undefined) return metText(change, met);
    }
    for (const code of planned.codesIn('pending')) {
      const stored = storedCode(change, code);
      const found = await search.find(stored);
      if (found.kind === 'unproved')
        return `the service stores codes ${changeText(change)}, and proc cannot search its list for ${stored}`;
      const isPending = ({ id, code: listed }: Listed) =>
        planned.pendingLike('code', listed!, id!).length > 0;
      this.#run.commit(() => catalogue.add(found.rows.filter(isPending)));
    }
    return undefined;
  }
}

function metText({ sent, stored, ...change }: SeenChange, id: string): string {
  return `the service stores codes ${changeText(change)}: it created ${sent} as ${stored}, the code of ${id}`;
}
