import { type Model, modelOf } from '../completion/offers.ts';
import { loadTree } from './tree.ts';

/**
 * The command line as completion needs it. The build calls this function and bundles its result instead, so that a
 * Tab loads no command.
 */
export async function completionModel(): Promise<Model> {
  return modelOf(await loadTree());
}
