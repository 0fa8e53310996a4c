import type { Change } from '../machine/loader.ts';

/**
 * Maximum number of seeds to try for a mutant. `npm run sim -- --mutants` prints the first seed that detects
 * it.
 */
export const MOST_SEEDS = 900;

interface Mutant extends Change {
  /** The stories of `--meetings` that detect the mutant, e.g. `376-524`. Undefined: any story may. */
  readonly meetings?: string;
  /** The stories of `--team` detect it. */
  readonly team?: true;
}

const ALL = {
  'repeats a POST blindly': {
    file: 'import/send/verdict.ts',
    line: "state: 'unconfirmed',\n          status: outcome.status,",
    becomes: "state: 'pending',\n          status: outcome.status,",
  },
  'writes intents after sending': {
    file: 'import/store/send-queue.ts',
    line: 'this.#markSending.run(',
    becomes: 'void (',
  },
  'sends before the sync': {
    file: 'import/store/commits.ts',
    line: 'fdatasync(log, (error) => (error === null ? resolve() : reject(error)));',
    becomes: 'void [log, fdatasync, reject]; resolve();',
  },
  'does not wait for --settle': {
    file: 'import/reconcile/reconciler.ts',
    line: 'return this.#ports.settleMs + this.#ports.clock.intentMs;',
    becomes: 'return 0 * this.#ports.clock.intentMs;',
  },
  'believes the id of a similar code': {
    file: 'listing/search.ts',
    line: 'if (row.code === code && row.id !== undefined) rows.set(row.id, row);',
    becomes: 'if (row.code?.startsWith(code) && row.id !== undefined) rows.set(row.id, row);',
  },
  'reads one page too few': {
    file: 'listing/scan.ts',
    line: 'while (!page.isEnd) {',
    becomes: 'while (false) {',
  },
  'takes the end of a page for the end of the list': {
    file: 'listing/listing.ts',
    line: "if (to === coded.length && !endsHere) return 'after';",
    becomes: 'void endsHere;',
  },
  'writes the number of a commit before the commit': {
    file: 'import/store/commits.ts',
    line: "      this.#database.exec('COMMIT');\n      this.#count++;",
    becomes:
      "      this.mark?.write(this.#count + 1);\n      this.#database.exec('COMMIT');\n      this.#count++;",
  },
  'accepts a swapped response': {
    file: 'import/send/proofs.ts',
    line: "if (origin.kind === 'own' && misfit === undefined) {",
    becomes: "if (origin.kind === 'own' || origin.kind === 'foreign') {",
  },
  'resends after 503 without Retry-After': {
    file: 'client/response/judge.ts',
    line: '(status === 503 && retryAfterMs !== undefined)',
    becomes: 'status === 503',
  },
  'trusts counts of an earlier commit': {
    file: 'import/store/run-file.ts',
    line: 'this.#counted?.commits === commits',
    becomes: 'this.#counted !== undefined && commits !== undefined',
  },
  'ignores the organization': {
    file: 'core/scope.ts',
    line: "return this.#names.has(organization) ? 'ours' : 'foreign';",
    becomes: "return 'ours';",
  },
  'resends what was in flight at a crash': {
    file: 'import/store/transitions.ts',
    line: "interrupt: { from: ['sending'], to: ['unconfirmed'] },",
    becomes: "interrupt: { from: ['sending'], to: ['pending'] },",
  },
  'trusts marks after a loss of power': {
    file: 'import/store/run-file.ts',
    line: 'const marks = isSameBoot && mark?.hasRows === true ? mark : undefined;',
    becomes: 'const marks = mark?.hasRows === true ? mark : undefined; void isSameBoot;',
  },
  'believes a refusal before its position is proved': {
    file: 'import/send/proofs.ts',
    line: 'this.#hold(connection!, held);',
    becomes: 'void connection; this.#placed.push(held);',
  },
  'measures --settle by the wall clock': {
    file: 'import/run-clock.ts',
    line: 'const now = () => wall + Math.floor(clock.monotonic() - monotonic);',
    becomes: 'const now = () => clock.now() + 0 * monotonic;',
  },
  'waits for a shorter time than the service asks': {
    file: 'import/send/gate.ts',
    line: 'this.#until = Math.max(this.#until, now + Math.max(ms ?? 0, pause));',
    becomes: 'this.#until = Math.max(this.#until, now + Math.min(ms ?? 0, 50) + pause);',
  },
  'resends rows although the list changes codes': {
    file: 'import/reconcile/witnesses.ts',
    line: "if (found.kind === 'unproved' || !found.ids.includes(id)) return false;",
    becomes: 'void [found, id];',
  },
  'retries a single create whose outcome is unknown': {
    file: 'client/call.ts',
    line: "request.method !== 'GET' ||",
    becomes: '',
  },
  'sends while it stages': {
    file: 'import/run.ts',
    line: 'if (opened.run.header.isStaged === true) return sealRun(opened, planned, workedMs, ports);',
    becomes: 'void sealRun;',
  },
  'sends staged rows that exist by now': {
    file: 'import/review/send-staged.ts',
    line: 'if (nowExisting > 0 && isListed) planned.markInCatalogue();',
    becomes: 'void [planned, isListed];',
  },
  'sends pending rows that exist by now': {
    file: 'import/resume/reopen-run.ts',
    line: 'if (target.listing !== undefined) await checkPendingAgain(opened, ports);',
    becomes: 'void checkPendingAgain;',
  },
  'records single writes after they left': {
    file: 'history/store.ts',
    line: "state: 'pending',\n  };",
    becomes: "state: 'not-applied',\n  };",
  },
  'forgets a single write that was cut off': {
    file: 'history/store.ts',
    line: "AND (state IN ('pending', 'unknown')",
    becomes: "AND (state IN ('unknown')",
  },
  'believes an answer that contradicts its request': {
    file: 'client/response/judge.ts',
    line: 'if (wrong.length > 0) {',
    becomes: 'if (wrong.length < 0) {',
  },
  'gives two rows one id': {
    file: 'import/store/run-database.ts',
    line: 'CREATE UNIQUE INDEX IF NOT EXISTS main.rows_created',
    becomes: 'CREATE INDEX IF NOT EXISTS main.rows_created',
  },
  'believes the id of an earlier record': {
    file: 'import/store/transitions.ts',
    line: 'AND NOT EXISTS (SELECT 1 FROM catalogue c WHERE c.id = made.value ->> 1)',
    becomes: '',
  },
  'takes a list that is cut off for the whole list': {
    file: 'listing/scan.ts',
    line: 'return isEnd && (await chain.hasLast(listing));',
    becomes: 'return isEnd;',
  },
  'takes the end of a searched list for its last row': {
    file: 'listing/search.ts',
    line: 'if (has(page)) return page;',
    becomes: 'if (has(page) || last !== undefined) return page;',
  },
  'sends pending rows that exist in the form in which codes are stored': {
    file: 'import/store/send-queue.ts',
    line: "existing: onExisting === 'skip' ? this.#rows.planned.markInCatalogue() : 0,",
    becomes: "existing: onExisting === 'skip' ? 0 * this.#rows.planned.countInCatalogue() : 0,",
  },
  'sends several rows before the first response': {
    file: 'import/send/sending.ts',
    line: 'const limit = this.#hasAnswers ? pace.limit : 1;',
    becomes: 'const limit = this.#hasAnswers ? pace.limit : pace.limit;',
  },
  'forgets the prefix of stored codes': {
    file: 'core/service/code-change.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source
    line: "if (change.name === 'prefix') return `${change.prefix}${code}`;",
    becomes: "if (change.name === 'prefix') return code;",
  },
  'opens a run before it has the lock': {
    file: 'import/with-run.ts',
    line: `  const lock = await lockImport({ folder, ...header }, waiting);
  let run: Run | undefined;
  try {
    run = await Run.open(path, { remakes });`,
    becomes: `  let run: Run | undefined = await Run.open(path, { remakes });
  const lock = await lockImport({ folder, ...header }, waiting);
  try {`,
    meetings: '400-864',
  },
  'opens a run without the lock': {
    file: 'import/with-run.ts',
    line: 'const lock = await lockImport({ folder, ...header }, waiting);',
    becomes: 'const lock = { async release() {} };',
    meetings: '400-864',
  },
  'lets the process before the last one go on': {
    file: 'ledger/port.ts',
    line: 'return now === generation;',
    becomes: 'return Number(now) <= generation + 1;',
    meetings: '520-864',
  },
  'skips the generation': {
    file: 'ledger/port.ts',
    line: 'return now === generation;',
    becomes: 'void [now, generation]; return true;',
    meetings: '520-864',
  },
  'lets requests leave before the ledger has their intents': {
    file: 'import/store/send-queue.ts',
    line: 'const written = this.#publisher?.write(intents) ?? Promise.resolve([]);',
    becomes: 'void this.#publisher?.write(intents); const written = Promise.resolve<never[]>([]);',
  },
  'writes intents to the ledger before the file is on the disk': {
    file: 'import/store/commits.ts',
    line: 'const commits = await this.#file.sync();',
    becomes: 'const commits = this.#file.commits;',
  },
  'resumes a staged run': {
    file: 'import/phases.ts',
    line: "resume: 'use send',",
    becomes: "resume: 'plan',",
    meetings: '2125-2989',
  },
  'does not wait for the lock': {
    file: 'import/import-lock.ts',
    line: 'const lock = await lockWithin(path, waitMs,',
    becomes: 'const lock = await lockWithin(path, 0 * waitMs,',
    meetings: '376-864',
  },
  'marks all rows of a stopped run as interrupted': {
    file: 'import/store/transitions.ts',
    line: "leaving('interrupt')",
    becomes: "leaving('interrupt').replace(/.+/, 'true')",
  },
  'forgets the id of a created row that another row has too': {
    file: 'import/store/transitions.ts',
    line: "doubt: ['status',",
    becomes: "doubt: ['id', 'status',",
  },
  'takes an unknown outcome for a refusal': {
    file: 'import/send/verdict.ts',
    line: "state: 'unconfirmed',\n          status: outcome.status,",
    becomes: "state: 'rejected',\n          status: outcome.status,",
  },
  'ignores --stage': {
    file: 'import/start/new-header.ts',
    line: 'isStaged: flags.stage === true ? true : undefined,',
    becomes: 'isStaged: undefined,',
  },
  'names a command that does not exist': {
    file: 'import/report/next-steps.ts',
    line: 'return `proc imports $',
    becomes: 'return `proc imports go-on-with $',
  },
  'sends with the key of another organization': {
    file: 'import/resume/which-run.ts',
    line: "if (isThere && ownership === 'foreign') {",
    becomes: "if (isThere && ownership === 'elsewhere') {",
  },
  'prunes runs that are not over': {
    file: 'import/manage/remove-runs.ts',
    line: "summary(run).left === 'nothing' &&",
    becomes: 'summary(run).left !== undefined &&',
    meetings: '1-864',
  },
  'lets requests leave long after their intents': {
    file: 'import/run-clock.ts',
    line: 'shared: 5_000',
    becomes: 'shared: 500_000',
    team: true,
  },
  'takes over locks by the clock of its machine': {
    file: 'ledger/ledger-locks.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source
    line: 'expires - ${NOW} AS rest',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source
    becomes: 'expires - ${Date.now() - 1_767_225_600_000} AS rest',
    team: true,
  },
  'takes over a lock without waiting': {
    file: 'import/import-lock.ts',
    line: 'const ms = LEAVES_WITHIN_MS + takingOver.settleMs;',
    becomes: 'const ms = 0 * (LEAVES_WITHIN_MS + takingOver.settleMs);',
    team: true,
  },
  'takes over a lock without raising generations': {
    file: 'ledger/ledger-locks.ts',
    line: 'if (isHeld) await openAll(sql, place);',
    becomes: 'if (isHeld) void openAll;',
    team: true,
  },
  'sends although its intents could not be written': {
    file: 'import/store/commits.ts',
    line: 'for (const { failed } of jobs) failed(thrown);',
    becomes: 'void thrown; for (const { done } of jobs) done([]);',
    team: true,
  },
  'imports again without asking what another machine sent': {
    file: 'import/store/sent-before.ts',
    line: 'if (continues.length === 0) return;',
    becomes: 'if (continues.length >= 0) return;',
    team: true,
  },
  'forgets what a person decided about a row of another machine': {
    file: 'import/store/sent-before.ts',
    line: '.filter(({ answer }) => answer?.run !== run.header.run)',
    becomes: '.filter(({ answer }) => answer?.run !== null)',
    team: true,
  },
  'does not commit': {
    file: 'ledger/postgres.ts',
    line: "await client.query('COMMIT');\n      return result;",
    becomes: 'return result;',
    team: true,
  },
  'releases the lock of another machine': {
    file: 'ledger/ledger-locks.ts',
    line: "'UPDATE locks SET holder = NULL WHERE place = ? AND holder = ?',",
    becomes: "'UPDATE locks SET holder = NULL WHERE place = ? AND ? IS NOT NULL',",
    team: true,
  },
  'intends after another machine has taken over': {
    file: 'ledger/sql-ledger.ts',
    line: 'if (!(await holds(sql, claim))) return undefined;',
    becomes: 'await holds(sql, claim);',
    team: true,
  },
  'takes a full disk for a bug': {
    file: 'import/with-run.ts',
    line: '    throw runFailure(path, thrown);',
    becomes: '    throw new Error(String(thrown));',
  },
} satisfies Readonly<Record<string, Mutant>>;

export type MutantName = keyof typeof ALL;

/** Each mutant is proc with one broken line. A story must detect it. */
export const MUTANTS: Readonly<Record<MutantName, Mutant>> = ALL;

export function isMutant(name: string): name is MutantName {
  return name in MUTANTS;
}
