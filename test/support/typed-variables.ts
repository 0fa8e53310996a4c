interface TypedWords {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Words such as `PROC_SETTLE=1ms` are variables of the command, as in a line of sh. */
export function typedVariables(words: readonly string[]): TypedWords {
  const isVariable = (word: string) => /^PROC_[A-Z]+=/.test(word);
  return {
    args: words.filter((word) => !isVariable(word)),
    env: Object.fromEntries(
      words.filter(isVariable).map((word) => word.split(/=(.*)/s).slice(0, 2) as [string, string]),
    ),
  };
}
