import type { Context } from '../core/command.ts';
import { ProcError } from '../core/errors.ts';
import { bulkMessages } from '../messages/bulk.ts';
import type { ImportTarget } from '../resources/import-target.ts';
import type { Suspect } from './reader/find-1252.ts';

/**
 * Shows how a text reads as Windows-1252 and asks whether that is right.
 *
 * @returns false to read it as UTF-8, with its broken rows rejected
 * @throws ProcError `confirmation_required` where nobody can be asked
 */
export async function confirmEncoding(
  { sample, line }: Suspect,
  { noun }: ImportTarget,
  file: string,
  ctx: Context,
): Promise<boolean> {
  const shown = `${file === '-' ? 'The input' : file} is no UTF-8. As Windows-1252 its line ${line} reads: ${sample}`;
  if (!ctx.terminal.interactive) {
    throw new ProcError('confirmation_required', shown, {
      hint: `If that is right: proc ${noun} import ${file} --encoding windows-1252 …; if not: --encoding utf-8 rejects such rows`,
    });
  }
  ctx.say({ kind: 'notice', text: shown });
  const words = bulkMessages[await ctx.lang()];
  return (await ctx.prompts()).confirm(words.use1252, true);
}
