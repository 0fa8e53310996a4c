/**
 * Delayed commits of requests that were cut off. When the sandbox stops, all waiting commits run at
 * once.
 */
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
