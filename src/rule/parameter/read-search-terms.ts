import type { SearchTerm } from '../../query/query-plan.ts'
import { wordsOf } from '../../query/search-words.ts'

/**
 * What a text searches for: words, phrases in quotes, and after a minus what must not occur. The
 * last word that stands by itself may be the beginning of a word. Characters between words mean
 * nothing, so `sci-fi` is a phrase of two words.
 *
 * ```ts
 * readSearchTerms('"old man" -film sea') // 'old man', not 'film', and 'sea' as a beginning
 * ```
 */
export function readSearchTerms(text: string): readonly SearchTerm[] {
  const terms: SearchTerm[] = []
  let last: number | undefined
  for (const [, minus, phrase, word = ''] of text.matchAll(termPattern)) {
    const words = wordsOf(phrase ?? word).trim()
    if (words === '') continue
    const isExcluded = minus === '-'
    if (phrase === undefined && !isExcluded) last = terms.length
    terms.push({ words, ending: 'word', isExcluded })
  }
  return terms.map((term, index) => (index === last ? { ...term, ending: 'beginning' } : term))
}

/** A quote without a second one reaches to the end. */
const termPattern = /(-?)(?:"([^"]*)"?|([^\s"]+))/g
