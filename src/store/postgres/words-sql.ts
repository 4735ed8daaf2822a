import { lazy } from '../../cache/lazy.ts'
import { isWordCharacter } from '../../query/search-words.ts'
import { foldSql } from './fold-sql.ts'

/**
 * `wordsOf` (`query/search-words.ts`) as SQL: a table of one row with the words of each text. An
 * OFFSET keeps the expressions from being copied to where their values are used.
 */
export function wordsSql(texts: readonly string[], alias: string): string {
  const read = texts.map((text, index) => `(${text})::text as w${index}`)
  const words = texts.map((_, index) => {
    const text = `${alias}.w${index}`
    const isAscii = `octet_length(${text}) = length(${text})`
    const separators = `case when ${isAscii} then '[^a-z0-9]+' else '${separatorClass()}+' end`
    const spaced = `' ' || regexp_replace(${foldSql(text)}, ${separators}, ' ', 'g') || ' '`
    return `coalesce(${spaced}, '') as w${index}`
  })
  return `(select ${words.join(', ')} from (select ${read.join(', ')} offset 0) ${alias} offset 0) ${alias}`
}

/** All characters but those of words, which follow JavaScript and not the locale of a database. */
const separatorClass = lazy(() => {
  const ranges: [number, number][] = []
  for (let codePoint = 0; codePoint <= lastCodePoint; codePoint++) {
    if (codePoint === firstSurrogate) codePoint = afterSurrogates
    if (!isWordCharacter(String.fromCodePoint(codePoint))) continue
    const last = ranges.at(-1)
    if (last && last[1] === codePoint - 1) last[1] = codePoint
    else ranges.push([codePoint, codePoint])
  }
  const written = ranges.map(([first, last]) =>
    first === last
      ? String.fromCodePoint(first)
      : `${String.fromCodePoint(first)}-${String.fromCodePoint(last)}`,
  )
  return `[^${written.join('')}]`
})

const lastCodePoint = 0x10ffff
const firstSurrogate = 0xd800
const afterSurrogates = 0xe000
