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
