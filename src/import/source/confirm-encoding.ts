import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { bulkMessages } from '../../messages/bulk.ts';
import { run1252 } from '../map/repair/encoding.ts';
import type { Suspect } from './encoding/find-1252.ts';

/**
 * Shows how a text reads as Windows-1252 and asks whether that is right. Rejected rows of a file that
 * was read so are read so too.
 *
 * @param folder of the journals
 * @returns false to read it as UTF-8, with its broken rows rejected
 * @throws ProcError `confirmation_required` where nobody can be asked
 */
export async function confirmEncoding(
  { sample, line }: Suspect,
  file: string,
  folder: string,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<boolean> {
  const repaired = run1252(file, folder);
  if (repaired !== undefined) {
    ports.io.say({
      kind: 'notice',
      text: `${file} is read as Windows-1252, like the file of the run ${repaired}`,
    });
    return true;
  }
  const shown = `${file === '-' ? 'The input' : file} is no UTF-8. As Windows-1252 its line ${line} reads: ${sample}`;
  if (!ports.io.terminal.interactive) {
    const command = typedAgain(ports.self.typed, ['--encoding', 'windows-1252']);
    throw new ProcError('confirmation_required', shown, {
      hint: `To reject such rows instead: --encoding utf-8. If that is right: ${command}`,
      details: { command },
    });
  }
  ports.io.say({ kind: 'notice', text: shown });
  const words = bulkMessages[await ports.io.lang()];
  return ports.ask.confirm(words.use1252, true);
}
