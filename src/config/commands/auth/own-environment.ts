import {
  type KnownEnvironment,
  type Selection,
  type Sources,
  select,
} from '../../select-target.ts';

/** Ignores `PROC_BASE_URL`, because a key is stored for the address of an environment. */
export function ownEnvironment(all: Sources): {
  selection: Selection;
  known: KnownEnvironment;
} {
  const sources = { ...all, env: { ...all.env, PROC_BASE_URL: undefined } };
  const selection = select(sources);
  // Without PROC_BASE_URL every selection is a known environment.
  return { selection, known: selection.known! };
}
