import type { LoggedChange } from '../change-log.ts'
import { packItem, unpackItem } from './packed-item.ts'

type Items = Pick<LoggedChange, 'before' | 'after'>

/** Mark an item of which only a part is kept. Whole items begin with another character. */
const partMark = '~'
const partMarkWithHash = '='

/** A part that is hardly shorter than the whole is not worth it. */
const minSavedLength = 64

/**
 * Both sides of a change as texts. Most changes leave most of an item as it is, so of the texts of
 * the item before only what differs is kept, with the lengths of what both begin and end with:
 *
 * ```
 * ~prefix,suffix⏎head⏎what is between them
 * ```
 *
 * Where the texts hold the hash of their item, that of the item after stands in both meanwhile, and
 * the mark is `=`. The log is then half as long, and so are its writes.
 */
export function packChange({ before, after }: Items): readonly [string | null, string | null] {
  const [old, current] = [packItem(before), packItem(after)]
  if (old === null || current === null) return [old, current]
  const oldStart = endOfHead(old)
  const texts = current.slice(endOfHead(current))
  const withHash = withOtherHash(old.slice(oldStart), before!.hash, after!.hash)
  const oldTexts = withHash ?? old.slice(oldStart)
  const prefix = sharedPrefix(oldTexts, texts)
  const suffix = sharedSuffix(oldTexts, texts, prefix)
  if (prefix + suffix < minSavedLength) return [old, current]
  const part = oldTexts.slice(prefix, oldTexts.length - suffix)
  const mark = withHash === undefined ? partMark : partMarkWithHash
  return [`${mark}${prefix},${suffix}\n${old.slice(0, oldStart)}${part}`, current]
}

/** Is the text one of `packChange`? The rows that triggers log are JSON objects. */
export function isPacked(text: string): boolean {
  return !text.startsWith('{')
}

/** Both sides again. */
export function unpackChange(id: string, before: string | null, after: string | null): Items {
  const current = unpackItem(id, after)
  if (before === null || after === null || before.startsWith('['))
    return { before: unpackItem(id, before), after: current }
  const old = unpackItem(id, wholeOf(before, after))!
  if (before.startsWith(partMark)) return { before: old, after: current }
  const hiddenText = old.hiddenText ?? ''
  const texts = withOtherHash(hiddenText + old.text, current!.hash, old.hash)!
  return {
    before: {
      ...old,
      hiddenText: old.hiddenText === null ? null : texts.slice(0, hiddenText.length),
      text: texts.slice(hiddenText.length),
    },
    after: current,
  }
}

/** The same text with another hash; undefined unless the first one can be put back. */
function withOtherHash(
  text: string,
  hash: string | null,
  other: string | null,
): string | undefined {
  if (!hash || hash.length !== other?.length) return undefined
  const replaced = replaceOnly(text, hash, other)
  return replaced !== undefined && replaceOnly(replaced, other, hash) === text
    ? replaced
    : undefined
}

function replaceOnly(text: string, part: string, other: string): string | undefined {
  const start = text.indexOf(part)
  if (start < 0 || text.includes(part, start + 1)) return undefined
  return text.slice(0, start) + other + text.slice(start + part.length)
}

function wholeOf(before: string, after: string): string {
  const start = endOfHead(before)
  const [prefix = 0, suffix = 0] = before.slice(partMark.length, start).split(',').map(Number)
  const kept = before.slice(start)
  const texts = after.slice(endOfHead(after))
  const partStart = endOfHead(kept)
  return `${kept.slice(0, partStart)}${texts.slice(0, prefix)}${kept.slice(partStart)}${texts.slice(texts.length - suffix)}`
}

function endOfHead(packed: string): number {
  return packed.indexOf('\n') + 1
}

function sharedPrefix(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length > 0 && isHighSurrogate(one.charCodeAt(length - 1)) ? length - 1 : length
}

function sharedSuffix(one: string, other: string, prefix: number): number {
  const most = Math.min(one.length, other.length) - prefix
  let length = 0
  while (
    length < most &&
    one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)
  )
    length++
  return length > 0 && isLowSurrogate(one.charCodeAt(one.length - length)) ? length - 1 : length
}

/** Databases store no half of a character. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
