/** Fields that hold a point in time: `createdAt`, `dueDate`, `delivery.at`. In other fields a date is only text. */
const NAMED = /(?:^|\.)(?:at|date)$|(?:At|Date)$/;

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(?:Z|[+-]00:00)?)?$/;

const MS_OF_DAY = 86_400_000;
/**
 * Spreadsheets count days from here, and wrongly include 29 February 1900. So dates before `FIRST`
 * stay text.
 */
const DAY_0 = Date.UTC(1899, 11, 30);
const FIRST = Date.UTC(1900, 2, 1);

/**
 * A date in UTC as the number of a spreadsheet. Undefined for other text, for fields without dates,
 * for dates before `FIRST`, and for times with an offset other than zero.
 */
export function serialDate(
  field: string,
  text: string,
): { readonly number: number; readonly format: string } | undefined {
  if (!NAMED.test(field)) return undefined;
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = ''] = match;
  const ms = Number(fraction.padEnd(3, '0'));
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const time =
    hour === undefined
      ? 0
      : Number(hour) * 3_600_000 + Number(minute) * 60_000 + Number(second) * 1000 + ms;
  // Refuses dates and times that do not exist, such as 31 February.
  if (new Date(date).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  if (time >= MS_OF_DAY || Number(minute ?? 0) > 59 || Number(second) > 59) return undefined;
  if (date < FIRST) return undefined;
  const format = hour === undefined ? 'yyyy-mm-dd' : `yyyy-mm-dd hh:mm:ss${ms === 0 ? '' : '.000'}`;
  return { number: (date + time - DAY_0) / MS_OF_DAY, format };
}
