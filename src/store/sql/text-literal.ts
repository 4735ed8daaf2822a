/** A text in single quotes, for SQL that can have no parameters. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
