import { EXIT, type ExitCode } from './exit-codes.ts';

/**
 * When the same command line may be run again: at once, after a while, after a look that the hint names, or not
 * before something is changed.
 */
type Retry = 'now' | 'later' | 'after-check' | 'never';

/** Every error code: its exit code, when to run the command again, and what it means. Scripts match on the codes. */
export const ERRORS = {
  bug: [EXIT.bug, 'never', 'a bug in proc; run again with PROC_DEBUG=1 and report the output'],
  invalid_usage: [
    EXIT.usage,
    'never',
    'a command, argument, flag or field is unknown, missing or invalid, or cannot be combined; or Node.js is too old',
  ],
  invalid_input: [
    EXIT.usage,
    'never',
    'a payload or file cannot be read, has invalid content, or breaks a limit such as --max-rejected',
  ],
  ambiguous_reference: [
    EXIT.usage,
    'never',
    'a reference could mean several records; details has them',
  ],
  reference_not_found: [
    EXIT.usage,
    'never',
    'a reference, run, draft or history entry does not exist',
  ],
  confirmation_required: [EXIT.usage, 'never', 'the command needs confirmation: add --yes'],
  declined: [EXIT.usage, 'now', 'a person answered no; nothing was sent or changed'],
  repeated_write: [
    EXIT.usage,
    'after-check',
    'the same write was sent before; the hint names the flag that sends it anyway',
  ],
  code_exists: [EXIT.usage, 'never', 'an item has this code already; nothing was sent'],
  busy: [
    EXIT.usage,
    'later',
    'another process does the same: an import to the same service, a create with the same --once key, or a sandbox with the same port or database',
  ],
  once_conflict: [
    EXIT.usage,
    'never',
    'the --once key belongs to an earlier create with another body',
  ],
  unknown_organization: [
    EXIT.usage,
    'never',
    'the key is new on this machine, which knows other organizations at the same address: set PROC_ORGANIZATION',
  ],
  catalogue_unverified: [
    EXIT.usage,
    'after-check',
    'the list may be incomplete, so proc did not send',
  ],
  unwritable_output: [EXIT.usage, 'never', 'an output file or stdout cannot be written'],
  config_unreadable: [
    EXIT.configuration,
    'never',
    'a settings or state file is invalid or damaged',
  ],
  config_insecure: [
    EXIT.configuration,
    'never',
    'other users could read or change a file that has secrets',
  ],
  profile_not_found: [
    EXIT.configuration,
    'never',
    'no such profile, or the profile has no such environment',
  ],
  no_target: [EXIT.configuration, 'never', 'no profile, environment or base URL is selected'],
  no_credential: [EXIT.configuration, 'never', 'there is no key or token for the target'],
  credential_origin: [
    EXIT.configuration,
    'never',
    'the key belongs to another address or organization and was not sent',
  ],
  credential_command: [EXIT.configuration, 'later', 'the credential command failed'],
  insecure_url: [EXIT.configuration, 'never', 'plain http would send the key unencrypted'],
  invalid_setting: [
    EXIT.configuration,
    'never',
    'a setting or variable is invalid, or two of them contradict each other',
  ],
  read_only: [
    EXIT.configuration,
    'never',
    'readOnly of the environment, or PROC_READ_ONLY, forbids every write',
  ],
  state_unwritable: [EXIT.configuration, 'never', 'a folder of proc cannot be written'],
  disk_full: [EXIT.configuration, 'later', 'the disk is full'],
  no_ledger: [
    EXIT.configuration,
    'after-check',
    'the ledger is empty, and only the ledger could tell which rows were sent before; see --first-run',
  ],
  ledger_unreachable: [
    EXIT.configuration,
    'later',
    'the shared ledger cannot be reached, or does not answer',
  ],
  ledger_refused: [
    EXIT.configuration,
    'never',
    'the shared ledger refuses proc, or could lose writes: password, rights, version or settings',
  ],
  ledger_changed: [
    EXIT.configuration,
    'after-check',
    'the shared ledger may have lost writes since this machine used it',
  ],
  unauthorized: [EXIT.unauthorized, 'never', 'the service returned 401'],
  forbidden: [EXIT.unauthorized, 'never', 'the service returned 403'],
  not_found: [
    EXIT.notFound,
    'never',
    'the service returned 404, or its list does not have the record',
  ],
  refused: [
    EXIT.refused,
    'never',
    'the service refused the request (another 4xx) or redirected it, or returned 2xx without making the change',
  ],
  unreachable: [EXIT.unreachable, 'later', 'the service could not be reached; nothing was sent'],
  timed_out: [
    EXIT.unreachable,
    'later',
    'the service did not respond in time, or orders wait reached --within',
  ],
  service_failed: [EXIT.unreachable, 'later', 'the service failed (5xx), or the connection broke'],
  undecodable: [EXIT.unreachable, 'later', 'the response is not what the contract describes'],
  throttled: [
    EXIT.unreachable,
    'later',
    'the service is too busy, or asked proc to wait too long (429 or 503)',
  ],
  rows_rejected: [EXIT.someRejected, 'never', 'an import rejected rows'],
  outcome_unknown: [
    EXIT.outcomeUnknown,
    'after-check',
    'a write was sent and its outcome is unknown: see proc history list --open',
  ],
  not_verified: [
    EXIT.outcomeUnknown,
    'after-check',
    'after an import, the list does not show every created row as it was sent, shows a code twice, or could not be read to its end',
  ],
  incomplete: [
    EXIT.incomplete,
    'after-check',
    'an import stopped early (resume it), or a list may be incomplete',
  ],
  undelivered: [
    EXIT.undelivered,
    'after-check',
    'the command succeeded, but its result could not be written',
  ],
  interrupted: [
    EXIT.interrupted,
    'after-check',
    'a signal ended the command: SIGINT (130), SIGHUP (129), SIGQUIT (131) or SIGTERM (143)',
  ],
} as const satisfies Record<string, readonly [ExitCode, Retry, meaning: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** Whether a signal or Ctrl-C ended the command. */
export function isSignalled(thrown: unknown): boolean {
  return thrown instanceof ProcError && thrown.code === 'interrupted';
}

export interface ErrorInit {
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Data for scripts: field issues, candidates, the error body. JSON values only. */
  readonly details?: unknown;
  readonly cause?: unknown;
  /** Of a signal: 128 and its number. */
  readonly exitCode?: ExitCode | undefined;
}

/** An error for users. Any other error that ends a command is a bug, unless `machineError` knows it. */
export class ProcError extends Error {
  override readonly name = 'ProcError';
  readonly code: ErrorCode;
  readonly exitCode: ExitCode;
  readonly retry: Retry;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, init: ErrorInit = {}) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    this.exitCode = init.exitCode ?? ERRORS[code][0];
    this.retry = ERRORS[code][1];
    this.hint = init.hint;
    this.status = init.status;
    this.requestId = init.requestId;
    this.details = init.details;
  }
}

/** Message and hint in one line, for an error that does not end the dialogue. */
export function withHint({ message, hint }: ProcError): string {
  return hint === undefined ? message : `${message}. ${hint}`;
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The error of a file, given by a person, that cannot be opened or read. */
export function unreadable(name: string, thrown: unknown): ProcError {
  return new ProcError('invalid_input', whyUnreadable(name, thrown), { cause: thrown });
}

/** A sentence without its full stop. */
export function whyUnreadable(name: string, thrown: unknown): string {
  switch (systemCode(thrown)) {
    case 'ENOENT':
      return `${name} does not exist`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to read ${name}`;
    default:
      return `cannot read ${name}: ${messageOf(thrown)}`;
  }
}

const DECLINED = {
  create: 'Not created.',
  patch: 'Not changed.',
  delete: 'Not deleted.',
  bulk: 'Nothing was sent.',
  local: 'Nothing was changed.',
} as const;

/** The error of a person who answered "no". */
export function declined(weight: keyof typeof DECLINED): ProcError {
  return new ProcError('declined', DECLINED[weight]);
}
