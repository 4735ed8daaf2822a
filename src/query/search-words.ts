import { foldText } from './fold-text.ts'
import type { Condition, SearchCondition, SearchTerm } from './query-plan.ts'

/**
 * The words of a text, folded (`foldText`), each between spaces. A word is a run of letters, marks
 * and digits, so `O'Brien` has two.
 *
 * ```ts
 * wordsOf('Żółć, 1984!') // ' zołc 1984  '
 * wordsOf('The Old Man').includes(' old man ') // true
 * ```
 *
 * SQL stores compute the same (`Dialect.words`), but for the number of spaces at either end.
 */
export function wordsOf(text: string): string {
  return ` ${foldText(text).replaceAll(separators, ' ')} `
}

/** What stands between words. */
const separators = /[^\p{L}\p{M}\p{N}]+/gu

/** May a character be part of a word? */
export function isWordCharacter(character: string): boolean {
  return character.replaceAll(separators, '') !== ''
}

/**
 * What the words of a text contain where the term occurs in it.
 *
 * ```ts
 * const term: SearchTerm = { words: 'old ma', ending: 'beginning', isExcluded: false }
 * wordsOf('The Old Man').includes(needleOf(term)) // true
 * ```
 */
export function needleOf({ words, ending }: SearchTerm): string {
  return ending === 'word' ? ` ${words} ` : ` ${words}`
}

/** The same condition, made of searches for one term in one field. */
export function singleSearches({ fields, terms }: SearchCondition): Condition {
  const conditions = terms.map((term): Condition => {
    const occurs: Condition = {
      kind: 'or',
      conditions: fields.map((field) => ({
        kind: 'search',
        fields: [field],
        terms: [{ ...term, isExcluded: false }],
      })),
    }
    return term.isExcluded ? { kind: 'not', condition: occurs } : occurs
  })
  return { kind: 'and', conditions }
}
