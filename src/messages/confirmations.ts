/** What a write asks before it is sent. `what` is a phrase of `writes.ts`, `where` names the target. */
const en = {
  confirm: (what: string, where: string) => `${capital(what)} on ${where}?`,
  typeName: (what: string, where: string, name: string) =>
    `${capital(what)} on ${where}. Type ${name} to confirm:`,
  repeat: {
    /** `age` is a text of `age`. */
    created: (age: string, created: string) =>
      `The same was sent ${age} and created ${created}. Send it again?`,
    unknown: (age: string, id: string) =>
      `The same was sent ${age} and its outcome is unknown (${id}). Send it again anyway?`,
  },
  age: {
    minutes: (n: number) => (n < 1 ? 'just now' : n === 1 ? 'a minute ago' : `${n} minutes ago`),
    hours: (n: number) => (n === 1 ? 'an hour ago' : `${n} hours ago`),
    days: (n: number) => (n === 1 ? 'a day ago' : `${n} days ago`),
  },
};

export type GuardMessages = typeof en;

const es: GuardMessages = {
  confirm: (what, where) => `¿${capital(what)} en ${where}?`,
  typeName: (what, where, name) =>
    `${capital(what)} en ${where}. Escriba ${name} para confirmarlo:`,
  repeat: {
    created: (age, created) => `Lo mismo se envió ${age} y creó ${created}. ¿Enviarlo otra vez?`,
    unknown: (age, id) =>
      `Lo mismo se envió ${age} y no se sabe qué resultó (${id}). ¿Enviarlo otra vez de todos modos?`,
  },
  age: {
    minutes: (n) => (n < 1 ? 'hace un momento' : n === 1 ? 'hace un minuto' : `hace ${n} minutos`),
    hours: (n) => (n === 1 ? 'hace una hora' : `hace ${n} horas`),
    days: (n) => (n === 1 ? 'hace un día' : `hace ${n} días`),
  },
};

export const guardMessages: Readonly<Record<'en' | 'es', GuardMessages>> = { en, es };

/** `3 hours ago`, from milliseconds. */
export function ageText(ms: number, messages: GuardMessages): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return messages.age.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? messages.age.hours(hours) : messages.age.days(Math.floor(hours / 24));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
