import { type Model, modelOf } from '../completion/offers.ts';
import { loadTree } from './tree.ts';

/** The command line as completion sees it. The build puts the data in here: a Tab loads no command. */
export async function completionModel(): Promise<Model> {
  return modelOf(await loadTree());
}
