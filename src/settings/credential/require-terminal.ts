import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';

export function requireTerminal(ports: Ports<'io'>, what: string, hint: string): void {
  if (ports.io.terminal.interactive) return;
  const message = `${what} asks questions, and there is no terminal to ask on`;
  throw new ProcError('invalid_usage', message, { hint });
}
