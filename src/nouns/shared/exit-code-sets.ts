import { EXIT } from '../../core/exit-codes.ts';

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
