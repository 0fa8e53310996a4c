import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import type { EncodingSuspect } from './encoding/not-utf8.ts';

/**
 * Shows a line read as Windows-1252 and asks whether the line is correct.
 *
 * @returns false to read the file as UTF-8 and reject the rows that are not UTF-8
 * @throws ProcError `confirmation_required` if the session is not interactive
 */
export async function confirmEncoding(
  { sample, line }: EncodingSuspect,
  file: string,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<boolean> {
  const shown = `${file === '-' ? 'The input' : file} is not UTF-8. As Windows-1252, line ${line} reads: ${sample}`;
  if (!ports.io.terminal.interactive) {
    const command = typedAgain(ports.self.typed, ['--encoding', 'windows-1252']);
    throw new ProcError('confirmation_required', shown, {
      hint: `If line ${line} is not correct, add --encoding utf-8: proc then rejects the rows that are not UTF-8. If it is correct, run: ${command}`,
      details: { command },
    });
  }

  ports.io.say({ kind: 'notice', text: shown });
  return ports.ask.confirm('Read it as Windows-1252?', true);
}
