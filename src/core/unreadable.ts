import { messageOf, ProcError, systemCode } from './errors.ts';

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
