import { type Model, modelOf } from './completion/offers.ts';
import { loadTree } from './registry.ts';

/** The build replaces this file with the result of the function, so completion loads no command. */
export async function completionModel(): Promise<Model> {
  return modelOf(await loadTree());
}
