import { ProcError } from '../../core/errors.ts';
import { durationText } from '../../core/time/duration.ts';

export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Stops the timer, which would otherwise keep the process running. */
  release(): void;
}

/** Aborts when `outer` aborts, or after `deadlineMs`. */
export function limitedBy(outer: AbortSignal, deadlineMs: number | undefined): LimitedSignal {
  if (deadlineMs === undefined) return { signal: outer, release: () => undefined };
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  else outer.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(passed(deadlineMs)), deadlineMs);
  return {
    signal: controller.signal,
    release(): void {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
}

function passed(ms: number): ProcError {
  return new ProcError(
    'deadline_passed',
    `the command did not end within ${durationText(ms)} (--deadline)`,
    { hint: 'Allow more time with --deadline, or remove --deadline' },
  );
}
