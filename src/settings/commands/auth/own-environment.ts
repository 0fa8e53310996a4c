import {
  type KnownEnvironment,
  type Selection,
  type Sources,
  select,
} from '../../read/select-target.ts';

/** Keys are stored per environment, for its own address: `PROC_BASE_URL` has no part in it. */
export function ownEnvironment(all: Sources): {
  sources: Sources;
  selection: Selection;
  known: KnownEnvironment;
} {
  const sources = { ...all, env: { ...all.env, PROC_BASE_URL: undefined } };
  const selection = select(sources);
  // Without PROC_BASE_URL a selection is always a known environment.
  return { sources, selection, known: selection.known! };
}
