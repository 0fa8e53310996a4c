import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const UNIT = 'test/unit/{catalogue,client,core,import,listing,store}/**/*.test.ts';
const IMPORTS = 'test/e2e/{answers-that-contradict,import,import-*,imports-*}.test.ts';
const GOLDEN = 'test/e2e/golden.test.ts';
const SIMULATION = 'test/mutants/simulation.test.ts';

/** These wait, or start many processes. Others execute the same code. */
const LONG = ['clock', 'created-meanwhile', 'ledger', 'pace', 'patience', 'safety', 'workbook'];

/** Each takes about a second. */
const SHORT = [
  ...['import-changed-codes', 'import-damaged', 'import-line-order', 'import-locks'],
  ...['import-lookups', 'import-other-spelling', 'import-plan-file', 'import-single-row'],
  ...['import-unconfirmed', 'import-unlisted', 'imports-resolve-file', 'imports-rows', 'golden'],
].map((name) => `test/e2e/${name}.test.ts`);

/** Which tests besides the unit tests; set by `main.ts`. */
const MORE = {
  unit: [],
  quick: SHORT,
  all: [GOLDEN, IMPORTS, SIMULATION],
};
const tests = (process.env.MUTANTS_TESTS ?? 'all') as keyof typeof MORE;

/** Unit tests first and the simulation last: a mutant is over when one test fails. */
class CheapestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costOf = ({ moduleId }: TestSpecification) =>
      ['/test/unit/', '/test/e2e/', '/test/mutants/'].findIndex((part) => moduleId.includes(part));
    return files.sort((a, b) => costOf(a) - costOf(b) || (a.moduleId < b.moduleId ? -1 : 1));
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
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
