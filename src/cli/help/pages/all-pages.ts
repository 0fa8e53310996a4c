import type { CommandSpec } from '../../../core/command-spec.ts';
import { loadTree } from '../../tree.ts';
import { type CommandPage, pageOf } from './command-page.ts';

export type PagedCommand = CommandPage & Pick<CommandSpec, 'path'>;

/**
 * The build replaces this file with the result of the function, so a page of help loads no command.
 */
export async function allPages(): Promise<Readonly<Record<string, readonly PagedCommand[]>>> {
  const { nouns } = await loadTree();
  return Object.fromEntries(
    nouns.map(({ name, commands }) => [
      name,
      commands.map((spec) => ({ path: spec.path, ...pageOf(spec) })),
    ]),
  );
}
