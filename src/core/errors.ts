import { inShell } from './wording.ts';

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

/**
 * When the same command line may be run again: at once, after a while, after a look that the hint names, or not
 * before something is changed.
 */
type Retry = 'now' | 'later' | 'after-check' | 'never';

/** Every error code: its exit code, when to run the command again, and what it means. Scripts match on the codes. */
export const ERRORS = {
  bug: [1, 'never', 'a bug in proc; run again with PROC_DEBUG=1 and report the output'],
  invalid_usage: [2, 'never', 'a command, argument, flag or field is unknown, missing or invalid'],
  invalid_input: [2, 'never', 'a payload or file cannot be read, is invalid, or breaks a limit'],
  ambiguous_reference: [2, 'never', 'a reference could mean several records; details has them'],
  reference_not_found: [2, 'never', 'a reference, run, draft or history entry does not exist'],
  confirmation_required: [2, 'never', 'the command needs confirmation: add --yes'],
  declined: [2, 'now', 'a person answered no; nothing was sent or changed'],
  repeated_write: [2, 'after-check', 'the same write was sent before; the hint names the flag'],
  code_exists: [2, 'never', 'an item has this code already; nothing was sent'],
  busy: [2, 'later', 'another process imports, may be sending the same create, or has a database'],
  once_conflict: [2, 'never', 'the --once key belongs to an earlier create with another body'],
  unknown_organization: [2, 'never', 'a new key at a known address: set PROC_ORGANIZATION'],
  catalogue_unverified: [2, 'after-check', 'the list may be incomplete, so proc did not send'],
  unwritable_output: [2, 'never', 'an output file or stdout cannot be written'],
  config_unreadable: [3, 'never', 'a settings or state file is invalid or damaged'],
  config_insecure: [3, 'never', 'other users could read or change a file that has secrets'],
  profile_not_found: [3, 'never', 'no such profile, or the profile has no such environment'],
  no_target: [3, 'never', 'no profile, environment or base URL is selected'],
  no_credential: [3, 'never', 'there is no key or token for the target'],
  credential_origin: [3, 'never', 'the key belongs to another address or organization'],
  credential_command: [3, 'after-check', 'the credential command failed'],
  insecure_url: [3, 'never', 'plain http would send the key unencrypted'],
  invalid_setting: [3, 'never', 'a setting or variable is invalid, or contradicts another'],
  read_only: [3, 'never', 'readOnly of the environment, or PROC_READ_ONLY, forbids every write'],
  state_unwritable: [3, 'never', 'a folder of proc cannot be written'],
  disk_full: [3, 'later', 'the disk is full'],
  no_ledger: [3, 'after-check', 'the ledger is empty, and only it could tell what was sent before'],
  ledger_unreachable: [3, 'later', 'the shared ledger cannot be reached, or does not answer'],
  ledger_refused: [3, 'never', 'the shared ledger refuses proc, or its settings are not safe'],
  ledger_changed: [3, 'after-check', 'the ledger is older than this machine knows, or another'],
  unauthorized: [4, 'never', 'the service returned 401'],
  forbidden: [4, 'never', 'the service returned 403'],
  not_found: [5, 'never', 'the service returned 404, or its list does not have the record'],
  refused: [6, 'never', 'the service refused or redirected the request, or changed nothing'],
  unreachable: [7, 'later', 'the service could not be reached; nothing was sent'],
  timed_out: [7, 'later', 'the service did not respond in time, or --within has passed'],
  service_failed: [7, 'later', 'the service failed (5xx), or the connection broke'],
  undecodable: [7, 'after-check', 'the response is not what the contract describes'],
  throttled: [7, 'later', 'the service is too busy, or asked proc to wait too long (429, 503)'],
  rows_rejected: [8, 'never', 'an import rejected rows'],
  outcome_unknown: [
    9,
    'after-check',
    'a write was sent, its outcome is unknown: proc history list',
  ],
  not_verified: [9, 'after-check', 'the list does not show every created row as it was sent'],
  incomplete: [10, 'after-check', 'an import stopped early, or a list may be incomplete'],
  undelivered: [11, 'after-check', 'the command succeeded, but its result could not be written'],
  interrupted: [130, 'after-check', 'Ctrl-C or another signal (129, 131, 143) ended the command'],
} as const satisfies Record<string, readonly [ExitCode, Retry, meaning: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** Whether a signal or Ctrl-C ended the command. */
export function isSignalled(thrown: unknown): boolean {
  return thrown instanceof ProcError && thrown.code === 'interrupted';
}

/** Returns an error as a value, but throws those that end the whole command. */
export async function failing<T>(work: () => T | Promise<T>): Promise<T | ProcError> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProcError && !isSignalled(thrown)) return thrown;
    throw thrown;
  }
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
  /** Where the cause says more than the code. */
  readonly retry?: Retry | undefined;
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
    this.retry = init.retry ?? ERRORS[code][1];
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

/** Of TLS: another certificate store may have the authority. */
export function isUnknownAuthority(code = ''): boolean {
  return /UNTRUSTED|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/.test(code);
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

const CHECK_FOLDER =
  'Check the free disk space and who owns the folder, or set PROC_STATE_DIR to another folder';

/** Limits of the system, and a file system that is read-only. */
const LIMITS: ReadonlySet<string> = new Set(['EFBIG', 'EROFS', 'EMFILE', 'ENFILE']);

/** Primary codes of SQLite: BUSY; FULL; and CORRUPT, FORMAT, NOTADB. */
const BUSY = 5;
const FULL = 13;
/** Extended code of IOERR: the file beside a database that its processes share cannot grow. */
const SHARED_FULL = 4874;
const DAMAGED: ReadonlySet<number> = new Set([11, 24, 26]);

/**
 * proc's error for a problem of the machine, such as a full disk or a damaged database; undefined for all others.
 *
 * @param file where the error does not name the file itself
 */
export function machineError(thrown: unknown, file?: string): ProcError | undefined {
  const {
    syscall,
    path = file,
    errcode,
  } = (thrown ?? {}) as { syscall?: unknown; path?: string; errcode?: unknown };
  const code = systemCode(thrown) ?? '';
  // The lower byte of an extended code is its primary code.
  const sqlite = code === 'ERR_SQLITE_ERROR' ? Number(errcode) & 0xff : undefined;
  const at = path === undefined ? '' : `: ${path}`;
  const name = path ?? 'a database of proc';
  const error =
    (own: 'invalid_usage' | 'config_unreadable' | 'state_unwritable' | 'disk_full' | 'busy') =>
    (message: string, hint: string) =>
      new ProcError(own, message, { hint, cause: thrown });
  if (syscall === 'uv_cwd') {
    const hint = 'Change to a folder that exists, for instance: cd ~';
    return error('invalid_usage')('The working directory no longer exists', hint);
  }
  if (code === 'ENOSPC' || code === 'EDQUOT' || sqlite === FULL || errcode === SHARED_FULL) {
    const hint = 'Free some disk space, then run the command again';
    return error('disk_full')(`The disk is full${at}`, hint);
  }
  if (sqlite === BUSY) return error('busy')(`another process is using ${name}`, 'Wait for it');
  if (sqlite !== undefined && DAMAGED.has(sqlite)) {
    const move = path === undefined ? '' : `: mv ${inShell(path)} ${inShell(`${path}.damaged`)}`;
    const hint = `To start over without the record of earlier writes, move the file away${move}`;
    return error('config_unreadable')(`${name} is damaged, or not an SQLite database`, hint);
  }
  if (sqlite !== undefined) {
    return error('state_unwritable')(`cannot use ${name}: ${messageOf(thrown)}`, CHECK_FOLDER);
  }
  if (!LIMITS.has(code)) return undefined;
  return error('state_unwritable')(messageOf(thrown), `${CHECK_FOLDER}. See the limits: ulimit -a`);
}

/** proc's error for a file or folder of its own that cannot be used. Errors that are bugs stay as they are. */
export function cannotUse(path: string, thrown: unknown): unknown {
  if (thrown instanceof ProcError || systemCode(thrown) === undefined) return thrown;
  const message = `cannot use ${path}: ${messageOf(thrown)}`;
  return (
    machineError(thrown, path) ??
    new ProcError('state_unwritable', message, { hint: CHECK_FOLDER, cause: thrown })
  );
}

/** The error of a person who answered "no". */
export function declined(text = 'Nothing was changed.'): ProcError {
  return new ProcError('declined', text);
}

export const READ_CODES = [
  EXIT.usage,
  EXIT.configuration,
  EXIT.unauthorized,
  EXIT.notFound,
  EXIT.refused,
  EXIT.unreachable,
] as const;

export const WRITE_CODES = [...READ_CODES, EXIT.outcomeUnknown, EXIT.undelivered] as const;

export const IMPORT_CODES = [...WRITE_CODES, EXIT.someRejected, EXIT.incomplete] as const;

export const LOCAL_CODES = [EXIT.configuration] as const;
