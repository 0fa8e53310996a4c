import { EXIT, type ExitCode } from './exit-codes.ts';

/** Every error code with its exit code. Append-only: scripts match on `code`. */
export const ERROR_CODES = {
  bug: EXIT.bug,
  unknown_command: EXIT.usage,
  unknown_flag: EXIT.usage,
  invalid_usage: EXIT.usage,
  invalid_input: EXIT.usage,
  unreadable_file: EXIT.usage,
  unknown_field: EXIT.usage,
  ambiguous_reference: EXIT.usage,
  reference_not_found: EXIT.usage,
  confirmation_required: EXIT.usage,
  declined: EXIT.usage,
  repeated_write: EXIT.usage,
  unsupported_node: EXIT.usage,
  unwritable_output: EXIT.usage,
  sandbox_conflict: EXIT.usage,
  config_unreadable: EXIT.configuration,
  config_insecure: EXIT.configuration,
  profile_not_found: EXIT.configuration,
  environment_not_found: EXIT.configuration,
  no_target: EXIT.configuration,
  no_credential: EXIT.configuration,
  credential_conflict: EXIT.configuration,
  credential_origin: EXIT.configuration,
  credential_command: EXIT.configuration,
  insecure_url: EXIT.configuration,
  invalid_setting: EXIT.configuration,
  state_unwritable: EXIT.configuration,
  unauthorized: EXIT.unauthorized,
  forbidden: EXIT.unauthorized,
  not_found: EXIT.notFound,
  refused: EXIT.refused,
  redirected: EXIT.refused,
  unreachable: EXIT.unreachable,
  timed_out: EXIT.unreachable,
  service_failed: EXIT.unreachable,
  throttled: EXIT.unreachable,
  undecodable: EXIT.unreachable,
  outcome_unknown: EXIT.outcomeUnknown,
  incomplete: EXIT.incomplete,
  rows_rejected: EXIT.someRejected,
  catalogue_unverified: EXIT.usage,
  not_verified: EXIT.outcomeUnknown,
  undelivered: EXIT.undelivered,
  import_busy: EXIT.usage,
  no_ledger: EXIT.configuration,
  hung_up: EXIT.hungUp,
  interrupted: EXIT.interrupted,
  quit: EXIT.quit,
  terminated: EXIT.terminated,
  unknown_organization: EXIT.usage,
  command_not_found: EXIT.commandNotFound,
  wait_timed_out: EXIT.unreachable,
  read_only: EXIT.configuration,
  code_exists: EXIT.usage,
  busy: EXIT.usage,
  once_conflict: EXIT.usage,
  ledger_refused: EXIT.configuration,
  ledger_unreachable: EXIT.configuration,
  ledger_unsafe: EXIT.configuration,
} as const satisfies Record<string, ExitCode>;

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * When the same command line may be run again: at once, after a while, after a look that the hint names, or not
 * before something is changed.
 */
export type Retry = 'now' | 'later' | 'after-check' | 'never';

export const RETRY: Readonly<Record<ErrorCode, Retry>> = {
  bug: 'never',
  unknown_command: 'never',
  unknown_flag: 'never',
  invalid_usage: 'never',
  invalid_input: 'never',
  unreadable_file: 'never',
  unknown_field: 'never',
  ambiguous_reference: 'never',
  reference_not_found: 'never',
  confirmation_required: 'never',
  declined: 'now',
  repeated_write: 'after-check',
  unsupported_node: 'never',
  unwritable_output: 'never',
  sandbox_conflict: 'never',
  config_unreadable: 'never',
  config_insecure: 'never',
  profile_not_found: 'never',
  environment_not_found: 'never',
  no_target: 'never',
  no_credential: 'never',
  credential_conflict: 'never',
  credential_origin: 'never',
  credential_command: 'later',
  insecure_url: 'never',
  invalid_setting: 'never',
  state_unwritable: 'never',
  unauthorized: 'never',
  forbidden: 'never',
  not_found: 'never',
  refused: 'never',
  redirected: 'never',
  unreachable: 'later',
  timed_out: 'later',
  service_failed: 'later',
  throttled: 'later',
  undecodable: 'later',
  outcome_unknown: 'after-check',
  incomplete: 'after-check',
  rows_rejected: 'never',
  catalogue_unverified: 'after-check',
  not_verified: 'after-check',
  undelivered: 'after-check',
  import_busy: 'later',
  no_ledger: 'after-check',
  hung_up: 'after-check',
  interrupted: 'after-check',
  quit: 'after-check',
  terminated: 'after-check',
  unknown_organization: 'never',
  command_not_found: 'never',
  wait_timed_out: 'later',
  read_only: 'never',
  code_exists: 'never',
  busy: 'later',
  once_conflict: 'never',
  ledger_refused: 'never',
  ledger_unreachable: 'later',
  ledger_unsafe: 'after-check',
};

/** Codes of a command that a signal ended. */
export const SIGNALLED: ReadonlySet<ErrorCode> = new Set([
  'hung_up',
  'interrupted',
  'quit',
  'terminated',
]);

export function isSignalled(thrown: unknown): boolean {
  return thrown instanceof ProcError && SIGNALLED.has(thrown.code);
}

export interface ErrorInit {
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Data for scripts: field issues, candidates, the error body. JSON values only. */
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** An error for users. Any other error that ends a command is a bug, unless `machineError` knows it. */
export class ProcError extends Error {
  override readonly name = 'ProcError';
  readonly code: ErrorCode;
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, init: ErrorInit = {}) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    this.exitCode = ERROR_CODES[code];
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
  return new ProcError('unreadable_file', whyUnreadable(name, thrown), { cause: thrown });
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
