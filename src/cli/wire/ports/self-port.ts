import type { GlobalFlags, SelfPort } from '../../../core/ports.ts';
import { loadTree } from '../../tree.ts';
import type { Surroundings } from '../surroundings.ts';

export function createSelf(surroundings: Surroundings, flags: GlobalFlags): SelfPort {
  const { env, cwd, typed, selfCommand, pid, clock, signal } = surroundings;
  return { flags, typed, env, cwd, clock, signal, selfCommand, pid, tree: loadTree };
}
