import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/elsewhere.ts'],
    // The end-to-end tests start real processes on small machines; nothing asserts on time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: more workers only make the processes that tests start wait for each other.
    maxWorkers: 2,
  },
});
