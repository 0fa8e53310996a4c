const NUMBER = /^[\d.+-]+(e[\d+-]+)?$/i;
const CHANGED_AS_NUMBER = '0';

/**
 * `AB-27` has the form `AA-99`. proc assumes: if a service stores one text unchanged, it stores every
 * text of the same form unchanged.
 *
 * A service may also read digits as a number, and store `007` as `7`. So if the digits of a text
 * could change in this way, its form ends with `0`. The form of `007` is `9990`.
 */
export function formOf(text: string): string {
  const form = text.replace(/\d/g, '9').replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A');
  const isNumber = NUMBER.test(text) && String(Number(text)) !== text;
  return isNumber || /(^|\D)0\d/.test(text) ? form + CHANGED_AS_NUMBER : form;
}

/**
 * If the service stores a text of one of these forms unchanged, it also stores every text of `form`
 * unchanged.
 */
export function formsFor(form: string): readonly string[] {
  return [form, form + CHANGED_AS_NUMBER];
}

/** @param shown forms of texts that the service stores unchanged */
export function covers(shown: ReadonlySet<string>, form: string): boolean {
  return formsFor(form).some((one) => shown.has(one));
}
