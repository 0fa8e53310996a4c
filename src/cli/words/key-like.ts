/**
 * Whether an unknown word may be a key in the wrong place. Names of commands, flags and
 * environments hardly ever match.
 */
export function looksLikeKey(word: string): boolean {
  return (
    /^(?=.*\d)(?=.*[A-Za-z])[\w+/=:.~-]{12,}$/.test(word) || /^[A-Za-z\d+/=_]{24,}$/.test(word)
  );
}
