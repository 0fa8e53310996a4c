import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Stryker has built the instrumented program in the folder where the tests run. */
export default function setup(project: TestProject): void {
  project.provide('built', { binary: resolve('bin/proc.js') });
}
