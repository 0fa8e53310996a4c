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

export const EXIT_MEANING: Readonly<Record<ExitCode, string>> = {
  0: 'Done. Imports: no row is rejected, unconfirmed or pending.',
  1: 'A bug in proc.',
  2: 'Usage or input is invalid, or a confirmation is missing; nothing was sent.',
  3: 'Configuration: no such profile or environment, unreadable config, no key, a key that belongs to another address, a state folder that cannot be written. Or the target is read-only.',
  4: 'The service returned 401 or 403.',
  5: 'The service returned 404, or its list does not have the record.',
  6: 'The service refused the request (another 4xx) or redirected it. (If a write is redirected with 303: exit 9.)',
  7: 'The service was unreachable, timed out or failed; no write is unconfirmed.',
  8: 'Imports: some rows were rejected, or would be. Comparisons with --exit-code: there are differences.',
  9: 'A write was sent and its outcome is unknown, or the records of an import could not be verified.',
  10: 'Incomplete: an import stopped early (resume it), or a list may be incomplete.',
  11: 'The command succeeded, but its result could not be written; stderr names what was created.',
  129: 'The terminal was closed (SIGHUP).',
  130: 'Interrupted (SIGINT).',
  131: 'Quit (SIGQUIT).',
  143: 'Terminated (SIGTERM).',
};
