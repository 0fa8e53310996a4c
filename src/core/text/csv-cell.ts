/** A cell of CSV as it is written: in quotes where a reader would take it for something else. */
export function csvCell(text: string, separator: string): string {
  const needsQuotes = text.includes(separator) || /["\r\n]|^\s|\s$/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}
