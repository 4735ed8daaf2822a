import { foldText } from './fold-text.ts'
import type { SearchTerm } from './query-plan.ts'
import { isWordCharacter } from './search-words.ts'

/** A part of a text, and whether a term of a search occurs there. */
interface HighlightPiece {
  readonly text: string
  readonly isMatch: boolean
}

/** The part of a text in which terms of a search occur. */
export interface Highlight {
  readonly pieces: readonly HighlightPiece[]
  /** Does the text have more before or after it? */
  readonly isExcerpt: boolean
}

/** In UTF-16 units. Words beyond are not looked for. */
const maxLookedThrough = 20_000
const maxExcerptLength = 200
/** How much of an excerpt stands before its first match. */
const leadLength = 60

/** A folded word with its place in the text. */
interface Word {
  readonly folded: string
  readonly start: number
  readonly end: number
}

/**
 * Where the terms of a search occur in a text, as pieces that make an excerpt together; undefined
 * where none does. A whole word is marked where the term has its beginning.
 *
 * ```ts
 * const terms: SearchTerm[] = [{ words: 'zoe', ending: 'word', isExcluded: false }]
 * highlightText('Zoë!', terms)
 * // { pieces: [{ text: 'Zoë', isMatch: true }, { text: '!', isMatch: false }], isExcerpt: false }
 * ```
 */
export function highlightText(text: string, terms: readonly SearchTerm[]): Highlight | undefined {
  const words = placedWords(text.slice(0, maxLookedThrough))
  const matches = mergedRanges(
    terms.flatMap((term) => (term.isExcluded ? [] : matchesOf(words, term))),
  )
  const [first] = matches
  if (!first) return undefined
  const { start, end } = excerptAround(text, words, first.start)
  const pieces: HighlightPiece[] = []
  let position = start
  const add = (until: number, isMatch: boolean) => {
    const piece = text.slice(position, Math.min(until, end))
    if (piece !== '') pieces.push({ text: piece, isMatch })
    position = Math.max(position, Math.min(until, end))
  }
  for (const match of matches) {
    add(match.start, false)
    add(match.end, true)
  }
  add(end, false)
  return { pieces, isExcerpt: start > 0 || end < text.length }
}

/** The words of a text: each character is folded by itself, as `foldText` does. */
function placedWords(text: string): readonly Word[] {
  const words: Word[] = []
  let folded = ''
  let start = 0
  let end = 0
  const close = () => {
    if (folded !== '') words.push({ folded, start, end })
    folded = ''
  }
  let position = 0
  for (const character of text) {
    const next = position + character.length
    const letters = foldText(character)
    // A mark belongs to the letter before it.
    if (letters === '' && folded !== '') end = next
    for (const letter of letters) {
      if (!isWordCharacter(letter)) {
        close()
        continue
      }
      if (folded === '') start = position
      folded += letter
      end = next
    }
    position = next
  }
  close()
  return words
}

interface TextRange {
  readonly start: number
  readonly end: number
}

function matchesOf(words: readonly Word[], { words: wanted, ending }: SearchTerm): TextRange[] {
  const parts = wanted.split(' ')
  const last = parts.length - 1
  const fits = (word: Word | undefined, index: number): boolean =>
    word !== undefined &&
    (index === last && ending === 'beginning'
      ? word.folded.startsWith(parts[index]!)
      : word.folded === parts[index])
  return words.flatMap((word, index) =>
    parts.every((_, part) => fits(words[index + part], part))
      ? [{ start: word.start, end: words[index + last]!.end }]
      : [],
  )
}

function mergedRanges(ranges: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = []
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const before = merged.at(-1)
    if (before && range.start <= before.end)
      merged[merged.length - 1] = { start: before.start, end: Math.max(before.end, range.end) }
    else merged.push(range)
  }
  return merged
}

/** Cut between words, if it has to be cut. */
function excerptAround(text: string, words: readonly Word[], match: number): TextRange {
  if (text.length <= maxExcerptLength) return { start: 0, end: text.length }
  const lead = words.find((word) => word.start >= match - leadLength)!
  const start = match <= leadLength ? 0 : Math.min(lead.start, match)
  const limit = start + maxExcerptLength
  if (limit >= text.length) return { start, end: text.length }
  const last = words.findLast((word) => word.start > match && word.start <= limit)
  return { start, end: last ? last.start : withoutHalfCharacter(text, limit) }
}

function withoutHalfCharacter(text: string, end: number): number {
  const isInside = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return isInside ? end - 1 : end
}
