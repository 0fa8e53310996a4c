/** Append-only: scripts branch on these numbers. */
export const EXIT = {
  done: 0,
  bug: 1,
  usage: 2,
  configuration: 3,
  unauthorized: 4,
  notFound: 5,
  refused: 6,
  unreachable: 7,
  someRejected: 8,
  outcomeUnknown: 9,
  incomplete: 10,
  undelivered: 11,
  hungUp: 129,
  interrupted: 130,
  quit: 131,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For help pages: 0, 2 and those of the command. Omits bugs and signals, because they may end any command. */
export function shownExitCodes(own: readonly ExitCode[] = []): readonly ExitCode[] {
  return [...new Set([EXIT.done, EXIT.usage, ...own])].sort((a, b) => a - b);
}
