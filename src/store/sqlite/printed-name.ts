/**
 * The name of a table, a column or an index with the wire names of the fields, as a person reads
 * it. See `columnLayouts` and `sqliteDialect.identifier`.
 *
 * ```ts
 * printedName('books(text.page^count#)') // 'books(pageCount)'
 * ```
 */
export function printedName(name: string): string {
  return name
    .replaceAll(/(?<![\w.^-])"?(?:text|hidden)\.([\w^-]+)[#@$]?"?/g, '$1')
    .replaceAll(/\^(\w)/g, (_, letter: string) => letter.toUpperCase())
}
