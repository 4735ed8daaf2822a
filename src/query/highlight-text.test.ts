import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { highlightText } from './highlight-text.ts'
import type { SearchTerm } from './query-plan.ts'
import { needleOf, wordsOf } from './search-words.ts'

const term = (words: string, ending: SearchTerm['ending'] = 'word'): SearchTerm => ({
  words,
  ending,
  isExcluded: false,
})

/** The text with brackets around matches. */
const marked = (text: string, ...terms: SearchTerm[]) =>
  highlightText(text, terms)
    ?.pieces.map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join('')

describe('A highlight', () => {
  it('marks words whatever their case and accents, and phrases as a whole', () => {
    expect(marked('The Old Man and the Sea', term('sea'), term('old man'))).toBe(
      'The [Old Man] and the [Sea]',
    )
    expect(marked('Zoë, Z\u0301oe\u0308!', term('zoe'))).toBe('[Zoë], [Z\u0301oe\u0308]!')
    expect(marked('Straße', term('strasse'))).toBe('[Straße]')
    expect(marked('x ½ y', term('1'), term('y'))).toBe('x [½] [y]')
    expect(marked('old-man', term('old man'))).toBe('[old-man]')
  })

  it('marks the whole word of which a term is the beginning', () => {
    expect(marked('older olds', term('old', 'beginning'))).toBe('[older] [olds]')
    expect(marked('an old manner', term('old man', 'beginning'))).toBe('an [old manner]')
  })

  it('is undefined where no term occurs, and excluded terms are not marked', () => {
    expect(marked('nothing here', term('old'))).toBeUndefined()
    expect(marked('old', { ...term('old'), isExcluded: true })).toBeUndefined()
  })

  it('is an excerpt of a long text around its first match', () => {
    const text = `${'before '.repeat(100)}needle ${'after '.repeat(100)}`
    const { pieces, isExcerpt } = highlightText(text, [term('needle')])!
    const excerpt = pieces.map((piece) => piece.text).join('')
    expect(isExcerpt).toBe(true)
    expect(excerpt.length).toBeLessThanOrEqual(200)
    expect(excerpt).toMatch(/^before .*before needle after .*after $/)
    const word = '𝒜'.repeat(300)
    const cut = highlightText(word, [term('a'.repeat(300))])!
    expect(cut.pieces.map((piece) => piece.text)).toEqual(['𝒜'.repeat(100)])
  })

  it('makes the text where it is short, and has a match where the search has one', () => {
    const characters = [...'abAB éß-.,İﬁ각\u0301\u05b0😀½']
    const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 30 })
    fc.assert(
      fc.property(text, text, fc.boolean(), (content, searched, isBeginning) => {
        const words = wordsOf(searched).trim()
        fc.pre(words !== '')
        const wanted = term(words.replaceAll(/ +/g, ' '), isBeginning ? 'beginning' : 'word')
        const highlight = highlightText(content, [wanted])
        expect(highlight !== undefined).toBe(wordsOf(content).includes(needleOf(wanted)))
        if (highlight) {
          expect(highlight.pieces.map((piece) => piece.text).join('')).toBe(content)
          expect(highlight.isExcerpt).toBe(false)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
