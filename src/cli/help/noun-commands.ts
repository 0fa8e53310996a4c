import type { CommandSpec } from '../../core/command-spec.ts';
import { loadTree } from '../tree.ts';

export type NounCommands = Readonly<
  Record<string, readonly Pick<CommandSpec, 'path' | 'summary'>[]>
>;

/** The commands of every noun. The build inserts the data, so that the page of a noun loads no command. */
export async function nounCommands(): Promise<NounCommands> {
  const { nouns } = await loadTree();
  return Object.fromEntries(
    nouns.map(({ name, commands }) => [
      name,
      commands.map(({ path, summary }) => ({ path, summary })),
    ]),
  );
}
