/** Commits whose clients were cut off before. When the sandbox stops, those that wait happen at once. */
export class LateCommits {
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  add(ms: number, commit: () => void): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      commit();
    }, ms);
    this.#waiting.set(timer, commit);
  }

  flush(): void {
    for (const [timer, commit] of this.#waiting) {
      clearTimeout(timer);
      commit();
    }
    this.#waiting.clear();
  }
}
