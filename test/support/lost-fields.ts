interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly not?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Lists what the earlier output has and the present output lacks. Empty: the output only grew. */
export function lostFields(before: Schema, now: Schema, at = ''): string[] {
  if (before.anyOf !== undefined) {
    const forms = now.anyOf ?? [now];
    return before.anyOf.flatMap((one, index) =>
      forms.some((form) => lostFields(one, form).length === 0) ? [] : [`${at}: form ${index + 1}`],
    );
  }
  if (now.anyOf !== undefined) {
    const isKept = now.anyOf.some((form) => lostFields(before, form).length === 0);
    return isKept ? [] : [`${at}: its only form`];
  }
  const lost: string[] = [];
  for (const key of ['type', 'const', 'not'] as const) {
    if (JSON.stringify(before[key]) !== JSON.stringify(now[key])) lost.push(`${at}: ${key}`);
  }
  const isNarrowed = before.enum === undefined && now.enum !== undefined;
  if (isNarrowed || (before.enum ?? []).some((value) => now.enum?.includes(value) === false)) {
    lost.push(`${at}: enum`);
  }
  for (const key of before.required ?? []) {
    if (now.required?.includes(key) !== true) lost.push(`${at}.${key}: no longer always there`);
  }
  for (const [key, inner] of Object.entries(before.properties ?? {})) {
    const present = now.properties?.[key];
    if (present === undefined) lost.push(`${at}.${key}`);
    else lost.push(...lostFields(inner, present, `${at}.${key}`));
  }
  if (before.items !== undefined)
    lost.push(...lostFields(before.items, now.items ?? {}, `${at}[]`));
  return lost;
}
