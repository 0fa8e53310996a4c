import { onTestFinished } from 'vitest';

type End = () => unknown;

/** What the tests of a file have not closed: a test that timed out never comes to its own `finally`. */
const open = new Set<End>();

/**
 * Calls `end` after the file of tests.
 *
 * @returns forgets it, because it has ended
 */
export function atFileEnd(end: End): () => void {
  open.add(end);
  return () => void open.delete(end);
}

/** The same, after the test if this is called in one. Not for concurrent tests. */
export function atTestEnd(end: End): () => void {
  const forget = atFileEnd(end);
  try {
    onTestFinished(async () => {
      if (open.delete(end)) await end();
    });
  } catch {
    // Not in a test.
  }
  return forget;
}

/** Called after each file. */
export async function endAll(): Promise<void> {
  const ends = [...open];
  open.clear();
  await Promise.all(ends.map((end) => end()));
}
