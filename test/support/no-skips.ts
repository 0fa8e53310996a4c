import type { Reporter, TestModule } from 'vitest/node';

/** A skipped test fails the run: it would be a proof that nobody misses. For CI. */
export class NoSkips implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(
        (test) => `${module.relativeModuleId}: ${test.fullName}`,
      ),
    );
    if (skipped.length === 0) return;
    process.stderr.write(`\nSKIPPED, which fails CI:\n${skipped.join('\n')}\n`);
    process.exitCode = 1;
  }
}
