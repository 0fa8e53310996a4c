import { type Model, modelOf } from '../completion/offers.ts';
import { loadTree } from './tree.ts';

/**
 * What completion must know of the command line. The build replaces this file with the result of the function, so
 * that a Tab loads no command.
 */
export async function completionModel(): Promise<Model> {
  return modelOf(await loadTree());
}
