import { ProcError } from '../../core/errors.ts';

export function inputNeeded(what: string): ProcError {
  return new ProcError(
    'invalid_usage',
    `${what} asks questions, and there is no terminal to ask on`,
    {
      hint: 'Use flags instead: --title, --group and --item (or --lines FILE), or --file FILE, or --from last. See: proc requisition create --help',
    },
  );
}
