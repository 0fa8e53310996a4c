import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const UNIT = 'test/unit/{catalogue,client,core,import,ledger,listing,store}/**/*.test.ts';
const IMPORTS =
  'test/e2e/{answers-that-contradict,import,import-*,imports-*,rehearsed-import}.test.ts';
const OTHERS =
  'test/e2e/{history,history-*,items-in-place-import,known-ids,max-create,organizations,plan-values,team-ledger}.test.ts';
const QUESTIONS = 'test/pty/{import-questions,imports-resolve}.test.ts';
const GOLDEN = 'test/e2e/golden.test.ts';
const SIMULATION = 'test/mutants/simulation.test.ts';

/** These wait, or start many processes. Others execute the same code. */
const LONG = ['clock', 'created-meanwhile', 'ledger', 'pace', 'patience', 'safety', 'workbook'];

/** Of the others, the shortest first. */
const BY_LENGTH = [
  ...['history-changes', 'history-export', 'history-undo', 'imports-list', 'import-line-order'],
  ...['import-single-row', 'imports-rows', 'import-other-names', 'import-changed-codes'],
  ...['import-lookups', 'import-of-another-profile', 'import-unread', 'import-own-exports'],
  ...['import-references', 'known-ids', 'history-unknown', 'import-other-spelling', 'history'],
  ...['import-place-hints', 'import-unconfirmed', 'import-where', 'max-create', 'import-plan-file'],
  ...['import-flat-rows', 'import-unlisted', 'imports-resolve-file', 'import-damaged', 'import'],
  ...['imports-report', 'items-in-place-import', 'import-said', 'plan-values'],
  ...['imports-resolve', 'import-reasons', 'import-stage', 'import-values', 'import-no-ledger'],
  ...['import-locks', 'import-answered-later', 'imports-resolve-resend', 'import-again'],
  ...['import-leftovers', 'import-absence', 'import-hidden-rows', 'import-resume', 'import-kill'],
  ...['import-outcomes', 'import-repair', 'import-answers', 'imports-remade'],
].map((name) => `test/e2e/${name}.test.ts`);

/** Which tests besides the unit tests; set by `main.ts`. */
const MORE = {
  unit: [],
  quick: [...BY_LENGTH, QUESTIONS],
  all: [IMPORTS, OTHERS, QUESTIONS, GOLDEN, SIMULATION],
};
const tests = (process.env.MUTANTS_TESTS ?? 'all') as keyof typeof MORE;

/** Unit tests first and the simulation last: a mutant is over when one test fails. */
class CheapestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costOf = ({ moduleId }: TestSpecification) =>
      ['unit', 'e2e', 'pty', 'mutants'].findIndex((part) => moduleId.includes(`/test/${part}/`));
    const lengthOf = ({ moduleId }: TestSpecification) =>
      BY_LENGTH.findIndex((name) => moduleId.endsWith(`/${name}`)) + 1 || BY_LENGTH.length + 1;
    return files.sort(
      (a, b) =>
        costOf(a) - costOf(b) || lengthOf(a) - lengthOf(b) || (a.moduleId < b.moduleId ? -1 : 1),
    );
  }
}

/** The tests that must detect mutants, in one process. Stryker runs those that execute a mutant. */
export default defineConfig({
  test: {
    include: [UNIT, ...MORE[tests]],
    exclude: [
      ...LONG.map((name) => `test/e2e/import-${name}.test.ts`),
      // They read files only.
      'test/unit/import/{header,mapper,reader,windows,workbook}*.test.ts',
    ],
    globalSetup: ['test/support/temporary-files.ts', 'test/mutants/built.ts'],
    setupFiles: ['test/support/elsewhere.ts', 'test/mutants/children.ts'],
    sequence: { sequencer: CheapestFirst },
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    // A busy machine must not look like a mutant that is detected.
    retry: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
