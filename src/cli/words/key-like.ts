/**
 * Whether an unknown word may be a key typed in the wrong place: long, and not made of words. Names of
 * commands, flags and environments hardly ever look like that.
 */
export function looksLikeKey(word: string): boolean {
  return (
    /^(?=.*\d)(?=.*[A-Za-z])[\w+/=:.~-]{12,}$/.test(word) || /^[A-Za-z\d+/=_]{24,}$/.test(word)
  );
}
