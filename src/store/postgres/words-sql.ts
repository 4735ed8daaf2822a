import { lazy } from '../../cache/lazy.ts'
import { isWordCharacter } from '../../query/search-words.ts'
import { foldSql } from './fold-sql.ts'

/**
 * `wordsOf` (`query/search-words.ts`) as SQL: a table of one row with the words of each text. An
 * OFFSET keeps the expressions from being copied to where their values are used.
 */
export function wordsSql(texts: readonly string[], alias: string): string {
  const steps: readonly ((value: string) => string)[] = [
    foldSql,
    spacedSql,
    (spaced) => `coalesce(' ' || ${oneSpaceSql(spaced)} || ' ', '')`,
  ]
  const columns = (textOf: (index: number) => string) =>
    texts.map((_, index) => `${textOf(index)} as w${index}`).join(', ')
  return steps.reduce(
    (source, step) =>
      `(select ${columns((index) => step(`${alias}.w${index}`))} from ${source} offset 0) ${alias}`,
    `(select ${columns((index) => `(${texts[index]!})::text`)} offset 0) ${alias}`,
  )
}

/** A folded text with spaces for the usual separators: regular expressions take longer for them. */
export function spacedSql(folded: string): string {
  return `translate(${folded}, '${usualSeparators.replaceAll("'", "''")}', '${' '.repeat(usualSeparators.length)}')`
}

const usualSeparators = '.,-:;!?()/"\'’–'

/** Does what `spacedSql` returned have other separators? */
export function hasSeparatorsSql(spaced: string): string {
  return `${spaced} ~ case when octet_length(${spaced}) = length(${spaced}) then '[^a-z0-9 ]' else '${separatorClass().replace('[^', '[^ ')}' end`
}

/** The same with one space for each run of other separators. */
export function separatedSql(spaced: string): string {
  return `regexp_replace(${spaced}, '${separatorClass()}+', ' ', 'g')`
}

/** What `spacedSql` returned, with one space between words: `<` and `>` are other separators. */
function oneSpaceSql(spaced: string): string {
  const oneSpace = `replace(replace(replace(${spaced}, ' ', '<>'), '><', ''), '<>', ' ')`
  return `case when ${hasSeparatorsSql(spaced)} then ${separatedSql(spaced)} else ${oneSpace} end`
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
