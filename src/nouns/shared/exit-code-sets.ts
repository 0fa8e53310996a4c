import { EXIT } from '../../core/exit-codes.ts';

/** What any command that reads from the service can end with, besides 0, 1 and interruption. */
export const READ_CODES = [
  EXIT.usage,
  EXIT.configuration,
  EXIT.unauthorized,
  EXIT.notFound,
  EXIT.refused,
  EXIT.unreachable,
] as const;

/** What any command that writes to the service can end with. */
export const WRITE_CODES = [...READ_CODES, EXIT.outcomeUnknown, EXIT.undelivered] as const;

/** What an import can end with: some rows may be rejected, and some may be left for a resume. */
export const IMPORT_CODES = [...WRITE_CODES, EXIT.someRejected, EXIT.incomplete] as const;

/** What a command can end with that only touches what proc keeps on this machine. */
export const LOCAL_CODES = [EXIT.configuration] as const;
