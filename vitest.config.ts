import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { NoSkips } from './test/support/no-skips.ts';

/** Files that take longer than their size tells; they begin first, so that none is waited for at the end. */
const LONG = [
  'docs-commands',
  'restored-database',
  'team-ledger',
  'import-stopped',
  'import-ledger',
  'postgres',
  'part-1',
  'part-2',
  'part-3',
  'part-4',
  'model/model',
  'wizard-ends',
  'examples',
  'delivery',
  'answers-that-contradict',
  'whole-lists',
  'failing-disk',
  'buyers-day',
  'example-scripts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONG.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Then the files run in any order, too. */
const isShuffled = process.argv.some((word) => word.startsWith('--sequence.shuffle'));

const FILES = 'test/support/temporary-files.ts';
/** Builds the program once, and only if a file of such a project runs. */
const BUILD = [FILES, 'test/support/build.ts'];

export default defineConfig({
  test: {
    reporters: ['default', ...(process.env.CI ? [new NoSkips()] : [])],
    setupFiles: ['test/support/elsewhere.ts'],
    sequence: isShuffled ? {} : { sequencer: LongestFirst },
    // Node runs TypeScript by itself, and one process runs many files: what tests import is loaded once.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    // The end-to-end tests start real processes on small machines; nothing asserts on time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores, and most of the time of a test is waiting for something.
    maxWorkers: 6,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          expect: { requireAssertions: true },
          include: ['test/*.test.ts', 'test/unit/**/*.test.ts'],
          globalSetup: FILES,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/{contract,e2e,model,pty,sim}/**/*.test.ts'],
          globalSetup: BUILD,
        },
      },
      {
        extends: true,
        test: {
          name: 'nightly',
          include: ['test/nightly/**/*.test.ts'],
          globalSetup: BUILD,
          provide: { atNight: true },
        },
      },
    ],
  },
});
