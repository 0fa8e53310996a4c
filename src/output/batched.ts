/** Items in arrays of `most`; the last may be shorter. */
export function* batched<T>(items: Iterable<T>, most: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
