import type { ModelDescription, OwnedRelation } from '../model/description.ts'
import { isShown } from './item-text.ts'
import type { ItemText } from './stored-item.ts'

/** The identifiers that an item's own relations hold, by wire name, without reading its values; its resources and its hash stand beside. */
export function linkageOf({ text, split }: ItemText): Readonly<Record<string, unknown>> {
  return text.charCodeAt(split) === comma ? JSON.parse(`{${text.slice(split + 1)}`) : {}
}

/** The identifiers that one relation of the item holds. */
export function linkedIds(linkage: Readonly<Record<string, unknown>>, { wire }: OwnedRelation): readonly string[] {
  const held = linkage[wire]
  if (Array.isArray(held)) return held
  return typeof held === 'string' ? [held] : []
}

/** What stands around linkage in the texts of a model's items. */
export interface LinkageKeys {
  /** Before that of each own relation: `,"author":` */
  readonly before: readonly string[]
  /** Behind the last one: `,"cover":`, or `,"hash":"`; undefined where the text ends there. */
  readonly behind: string | undefined
}

export function linkageKeys({ owned, resources, hash }: ModelDescription): LinkageKeys {
  const shown = resources.find(isShown)
  const behind = shown ? `,"${shown.wire}":` : hash && `,"${hash.wire}":"`
  return Object.freeze({ before: owned.map(({ wire }) => `,"${wire}":`), behind })
}

/**
 * The JSON of what each own relation holds, in their order, without parsing it; undefined where that takes parsing: for identifiers with
 * escapes in them, and for texts from when the model had other relations. Nothing that holds a quote can be mistaken for the end of an
 * identifier, so that what is expected behind each one tells whether it was read right.
 */
export function linkageTexts(
  { text, split }: ItemText,
  { before, behind }: LinkageKeys,
): readonly string[] | undefined {
  if (text.includes('\\', split)) return undefined
  const texts: string[] = []
  let at = split
  for (const key of before) {
    if (!text.startsWith(key, at)) return undefined
    const start = at + key.length
    at = endOf(text, start)
    texts.push(text.slice(start, at))
  }
  return (behind === undefined ? at === text.length - 1 : text.startsWith(behind, at)) ? texts : undefined
}

/** Where null, a text or an array of texts ends that begins here. */
function endOf(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === quote) return text.indexOf('"', start + 1) + 1
  if (first !== bracket) return start + 'null'.length
  return text.charCodeAt(start + 1) === quote ? text.indexOf('"]', start + 1) + 2 : start + 2
}

const comma = 0x2c
const quote = 0x22
const bracket = 0x5b
