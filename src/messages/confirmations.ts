import { ProcError } from '../core/errors.ts';

/** Questions before a write is sent. `what` is a phrase from `writes.ts`, `where` names the target. */
export const guardMessages = {
  confirm: (what: string, where: string) => `${capital(what)} on ${where}?`,
  typeName: (what: string, where: string, name: string) =>
    `${capital(what)} on ${where}. Type ${name} to confirm:`,
  /** In a dry run. */
  preview: (what: string, where: string) => `Dry run, nothing is sent: ${what} on ${where}.`,
  /** In a dry run of a command that changes nothing in the service. */
  unchanged: 'Dry run: nothing was changed.',
  /** After the answer "no". */
  declined: {
    create: 'Not created.',
    patch: 'Not changed.',
    delete: 'Not deleted.',
    bulk: 'Nothing was sent.',
    local: 'Nothing was changed.',
  },
  /** The questions of `imputations create` without flags. */
  imputation: {
    amount: 'Amount, e.g. 222.15',
    amountWrong: (typed: string) => `"${typed}" is not a number such as 222.15.`,
    order: 'Order: code or id (empty for none)',
    account: 'Account to charge (empty for none)',
    reference: 'Your reference (empty for none)',
  },
  repeat: {
    /** `age` is e.g. `2 hours ago`. */
    created: (age: string, created: string) =>
      `The same request was sent ${age} and created ${created}. Send it again?`,
    unknown: (age: string, id: string) =>
      `The same request was sent ${age}, and its outcome is unknown (${id}). Send it anyway?`,
  },
  age: {
    minutes: (n: number) => (n < 1 ? 'just now' : n === 1 ? 'a minute ago' : `${n} minutes ago`),
    hours: (n: number) => (n === 1 ? 'an hour ago' : `${n} hours ago`),
    days: (n: number) => (n === 1 ? 'a day ago' : `${n} days ago`),
  },
};

export type GuardMessages = typeof guardMessages;

/** The error of a person who answered "no". */
export function declined(weight: keyof GuardMessages['declined']): ProcError {
  return new ProcError('declined', guardMessages.declined[weight]);
}

/** Shown while a list is read. */
export const readingMessages: (noun: string) => string = (noun) => `Reading ${noun}`;

/** Turns an age in ms into text such as `3 hours ago`. */
export function ageText(ms: number, messages: GuardMessages): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return messages.age.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? messages.age.hours(hours) : messages.age.days(Math.floor(hours / 24));
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
