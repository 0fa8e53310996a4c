/** Calls `load` once. Every call returns the same promise, even if it was rejected. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
