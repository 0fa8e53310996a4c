/** Items in arrays of `most`; the last may be shorter. */
export async function* batched<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most = 1000,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
