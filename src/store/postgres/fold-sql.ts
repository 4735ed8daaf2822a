import { lazy } from '../../cache/lazy.ts'
import { foldCase, marks } from '../../query/fold-text.ts'
import { codePointOrder } from './code-point-order.ts'

/**
 * `foldText` (`query/fold-text.ts`) as SQL. PostgreSQL normalizes; its functions for upper and
 * lower case follow the locale of the database, so the pairs of letters are those of JavaScript.
 */
export function foldSql(value: string): string {
  const text = `(${value})::text`
  const withoutMarks = `(select ${lowerCaseSql('d.text')} from (select ${withoutMarksSql(text)} as text offset 0) d)`
  return `((case when octet_length(${text}) = length(${text}) then lower(${text} ${codePointOrder}) else ${withoutMarks} end) ${codePointOrder})`
}

/**
 * A text that is not of ASCII alone, in its compatibility decomposition, without marks, and with
 * its letters of ASCII in lower case.
 */
export function withoutMarksSql(text: string): string {
  return `lower(regexp_replace(normalize(${text}, nfkd), '${tables().removed}', '', 'g') ${codePointOrder})`
}

/**
 * What `withoutMarksSql` returned, in lower case; the name is read several times. Few texts have
 * further letters in upper case, and TRANSLATE compares each character with each of these letters.
 */
export function lowerCaseSql(name: string): string {
  const { lettersClass, from, to, several } = tables()
  return several.reduce(
    (sql, [letter, letters]) => `replace(${sql}, '${letter}', '${letters}')`,
    `case when ${name} ~ '${lettersClass}' then translate(${name}, '${from}', '${to}') else ${name} end`,
  )
}

/** Computed where the first query needs them. Planes above have no letters with a case. */
const tables = lazy(() => {
  const changed: (readonly [letter: string, folded: string])[] = []
  const removed: number[] = []
  for (let codePoint = 0; codePoint < lastCodePoint; codePoint++) {
    if (codePoint === firstSurrogate) codePoint = afterSurrogates
    const character = String.fromCodePoint(codePoint)
    if (character.replaceAll(marks, '') === '') removed.push(codePoint)
    else if (codePoint > lastOfAscii && character.normalize('NFKD') === character) {
      const folded = foldCase(character)
      if (folded !== character) changed.push([character, folded])
    }
  }
  for (let codePoint = firstSelector; codePoint <= lastSelector; codePoint++)
    removed.push(codePoint)
  const isSingle = ([, folded]: readonly [string, string]) => Array.from(folded).length === 1
  const singles = changed.filter(isSingle)
  return {
    from: singles.map(([letter]) => letter).join(''),
    to: singles.map(([, folded]) => folded).join(''),
    several: changed.filter((pair) => !isSingle(pair)),
    lettersClass: classOf(singles.map(([letter]) => letter.codePointAt(0)!)),
    removed: classOf(removed),
  }
})

const lastOfAscii = 0x7f
const lastCodePoint = 0x20000
const firstSurrogate = 0xd800
const afterSurrogates = 0xe000
/** Variation selectors are the only marks above. */
const firstSelector = 0xe0100
const lastSelector = 0xe01ef

/** A bracket expression of a regular expression for these code points, which ascend. */
function classOf(codePoints: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const codePoint of codePoints) {
    const last = ranges.at(-1)
    if (last && last[1] === codePoint - 1) last[1] = codePoint
    else ranges.push([codePoint, codePoint])
  }
  return `[${ranges.map(([first, last]) => (first === last ? escapeOf(first) : `${escapeOf(first)}-${escapeOf(last)}`)).join('')}]`
}

function escapeOf(codePoint: number): string {
  return `\\U${codePoint.toString(16).padStart(8, '0')}`
}
