/**
 * A text without what case- and accent-insensitive comparisons ignore: in its compatibility
 * decomposition (NFKD), without the marks that letters of all scripts have, such as accents, and
 * with each letter in lower case. Letters that are not an accented form of another one stay, such
 * as `ø` and `ł`, and so do the vowel signs of a script.
 *
 * ```ts
 * foldText('Żółć') // 'zołc'
 * foldText('STRASSE') === foldText('Straße') // true
 * ```
 *
 * It folds each character by itself, so that SQL stores can compute the same (`Dialect.fold`).
 */
export function foldText(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase()
  return foldCase(text.normalize('NFKD').replaceAll(marks, ''))
}

/** `ẞ` becomes `ß`, `SS` and `ss`. A sigma has another lower case at the end of a word. */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** Marks that belong to no script of their own. */
export const marks: RegExp = /(?=\p{M})\p{Script=Inherited}/gu

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const beyondAscii = /[^\x00-\x7f]/
