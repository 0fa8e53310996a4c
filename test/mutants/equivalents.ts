/** A mutant that no test can detect. */
interface Equivalent {
  readonly file: string;
  /** What its line contains. */
  readonly line: string;
  readonly before: string;
  readonly after: string;
  /** The input that would have to differ, or what differs besides outcomes. */
  readonly because: string;
}

const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'src/client/response/compare-answer.ts',
    line: 'default:',
    before: 'default: return false;',
    after: 'default:',
    because: 'the caller takes undefined for false',
  },
  {
    file: 'src/import/store/transitions.ts',
    line: 'deterministic',
    before: 'true',
    after: 'false',
    because: '`deterministic`: SQLite may call the function more often',
  },
  {
    file: 'src/import/store/run-rows.ts',
    line: 'return name === null',
    before: 'name === null',
    after: 'false',
    because:
      'an item without a code and a name; every item has a name, other records a fingerprint',
  },
  {
    file: 'src/import/plan/catalogue/baseline.ts',
    line: 'catalogue.addIndexes();',
    before: 'catalogue.addIndexes();',
    after: ';',
    because: 'without its indexes, the list is compared as it is, but slower',
  },
  {
    file: 'src/import/import-lock.ts',
    line: "createHash('sha256')",
    before: "createHash('sha256').update(key).digest('hex').slice(0, 12)",
    after: "createHash('sha256').update(key).digest('hex')",
    because: 'the file of a lock has a longer name, for all processes',
  },
  {
    file: 'src/import/reconcile/check-created.ts',
    line: 'if (seen.add(rows)) continue;',
    before: 'seen.add(rows)',
    after: 'true',
    because: 'a foreign row is noticed after the last page too',
  },
  {
    file: 'src/import/reconcile/reconciler.ts',
    line: 'if (due.length === 0 || this.#isListDoubted',
    before: 'this.#isListDoubted',
    after: 'false',
    because: 'searches in a list that is doubted are repeated, and prove nothing again',
  },
  {
    file: 'src/import/plan/catalogue/baseline.ts',
    line: 'if (catalogue.isEmpty) return',
    before: 'catalogue.isEmpty',
    after: 'false',
    because: 'no row is in an empty list; without the condition, that takes longer',
  },
  {
    file: 'src/import/send/gate.ts',
    line: 'if (ms === undefined && pause === 0) return;',
    before: 'ms === undefined && pause === 0',
    after: 'false',
    because: 'a pause that has begun ends later than now, so it stays as it is',
  },
  {
    file: 'src/import/send/pace.ts',
    line: 'if (this.perSecond(now) !== Number.POSITIVE_INFINITY)',
    before: 'this.perSecond(now) !== Number.POSITIVE_INFINITY',
    after: 'true',
    because: 'what left before a limit was known is counted anew when it becomes known',
  },
  {
    file: 'src/import/store/send-queue.ts',
    line: "if (written.state === 'pending')",
    before: "written.state === 'pending'",
    after: 'true',
    because: 'proc looks for pending rows once more, and finds none',
  },
  {
    file: 'src/import/store/run-file.ts',
    line: 'if (sending.length > 0)',
    before: 'sending.length > 0',
    after: 'true',
    because: 'a run without such rows gets a transaction that changes none',
  },
  {
    file: 'src/import/store/run-file.ts',
    line: 'repairs === undefined || this.#publisher',
    before: 'repairs === undefined',
    after: 'false',
    because: 'a row that repairs another one, in a run that repairs none',
  },
  {
    file: 'src/import/workplace.ts',
    line: 'recursive: true, force: true',
    before: 'true',
    after: 'false',
    because: '`force`: the folder of a dry run that somebody else removed meanwhile',
  },
  {
    file: 'src/import/with-run.ts',
    line: '} catch {',
    before: '{ return false; }',
    after: '{}',
    because: 'the caller takes undefined for false',
  },
  {
    file: 'src/import/reconcile/reconciler.ts',
    line: 'const isUsable = !this.#isListDoubted',
    before: '!this.#isListDoubted && (await this.#search.isUsable())',
    after: 'true',
    because:
      'searches that prove nothing are tried; the whole list is read after them all the same',
  },
  {
    file: 'src/import/reconcile/reconciler.ts',
    line: 'if (incomplete === undefined) return;',
    before: 'incomplete === undefined',
    after: 'false',
    because: 'after a complete reading no row is open that could be parked',
  },
  {
    file: 'src/ledger/ledger-schema.ts',
    line: 'const isNewer = version > LEDGER_VERSION;',
    before: 'version > LEDGER_VERSION',
    after: 'version >= LEDGER_VERSION',
    because: 'a ledger of this version; the caller has opened it',
  },
  {
    file: 'src/ledger/run-name.ts',
    line: '.exec(run) ?? [];',
    before: '[]',
    after: '["Stryker was here"]',
    because: 'the first part of a match is not read',
  },
  {
    file: 'src/ledger/sent-rows.ts',
    line: 'if (rows.length === 0) return;',
    before: 'rows.length === 0',
    after: 'false',
    because: 'without rows, a statement that links none',
  },
  {
    file: 'src/import/send/sending.ts',
    line: 'this.#decided.length < pace.limit * UNWRITTEN_PART',
    before: 'this.#decided.length < pace.limit * UNWRITTEN_PART',
    after: 'this.#decided.length <= pace.limit * UNWRITTEN_PART',
    because: 'one more outcome waits for the next transaction',
  },
  {
    file: 'src/ledger/sql-ledger.ts',
    line: "outcomes.filter(({ state }) => state !== 'none').map((one)",
    before: "state !== 'none'",
    after: 'true',
    because: 'an entry that is withdrawn is written once more before',
  },
  {
    file: 'src/ledger/sql-ledger.ts',
    line: "outcomes.filter(({ state }) => state !== 'none').map((one)",
    before: "'none'",
    after: '""',
    because: 'an entry that is withdrawn is written once more before',
  },
  {
    file: 'src/ledger/sql-ledger.ts',
    line: 'if (created.length === 0) return;',
    before: 'created.length === 0',
    after: 'false',
    because: 'without rows, a statement that changes none',
  },
  {
    file: 'src/ledger/sent-rows.ts',
    line: '.exec(String(key)) ?? [];',
    before: '[]',
    after: '["Stryker was here"]',
    because: 'the first part of a match is not read',
  },
  {
    file: 'src/ledger/sent-rows.ts',
    line: '/^(code|name) (.*)/s',
    before: '/^(code|name) (.*)/s',
    after: '/(code|name) (.*)/s',
    because: 'a key that begins otherwise is a hash, which has no space',
  },
  {
    file: 'src/import/store/known-records.ts',
    line: 'const pass = change === undefined ? take',
    before: 'change === undefined',
    after: 'false',
    because: 'without a change, each code is stored as it is',
  },
  {
    file: 'src/import/send/sending.ts',
    line: 'if (this.#writing >= MAX_WRITING) return false;',
    before: 'this.#writing >= MAX_WRITING',
    after: 'this.#writing > MAX_WRITING',
    because: 'one more transaction is written side by side',
  },
  {
    file: 'src/import/send/sending.ts',
    line: 'ms > 2 * FLUSH_MS',
    before: 'ms > 2 * FLUSH_MS',
    after: 'ms >= 2 * FLUSH_MS',
    because: 'after a wait of exactly this length, a timer wakes the run instead of the tick',
  },
  {
    file: 'src/import/store/staged-rows.ts',
    line: 'for (let from = 0; from < all.length; from += ROWS_PER_INSERT)',
    before: 'from < all.length',
    after: 'from <= all.length',
    because: 'after the last rows, none are written once more',
  },
];

type Place = Omit<Equivalent, 'because'>;

/** Whether the list has it, wherever it stands in the file. */
export function isEquivalent({ file, line, before, after }: Place): boolean {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  return EQUIVALENTS.some(
    (one) =>
      one.file === file &&
      line.includes(one.line) &&
      one.before === plain(before) &&
      one.after === plain(after),
  );
}
