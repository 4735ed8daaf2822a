import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { isShown } from './create-stored-item.ts'
import type { RawItem } from './stored-item.ts'

/**
 * The identifiers that an item's own relations hold, by wire name, without reading its values; its
 * resources and its hash stand beside.
 */
export function linkageOf({ text, relationsOffset }: RawItem): Readonly<Record<string, unknown>> {
  return text.charCodeAt(relationsOffset) === comma
    ? JSON.parse(`{${text.slice(relationsOffset + 1)}`)
    : {}
}

/** The identifiers that one relation of the item holds. */
export function linkedIds(
  linkage: Readonly<Record<string, unknown>>,
  { wireName }: OwnedRelation,
): readonly string[] {
  const held = linkage[wireName]
  if (Array.isArray(held)) return held
  return typeof held === 'string' ? [held] : []
}

/** What stands around linkage in the texts of a model's items. */
export interface LinkageKeys {
  /** Before that of each own relation: `,"author":` */
  readonly relationKeys: readonly string[]
  /** Behind the last one: `,"cover":`, or `,"hash":"`; undefined where the text ends there. */
  readonly endKey: string | undefined
}

export function linkageKeys({
  ownedRelations,
  resourceFields,
  hashField,
}: ModelDescription): LinkageKeys {
  const shown = resourceFields.find(isShown)
  const behind = shown ? `,"${shown.wireName}":` : hashField && `,"${hashField.wireName}":"`
  return Object.freeze({
    relationKeys: ownedRelations.map(({ wireName }) => `,"${wireName}":`),
    endKey: behind,
  })
}

/**
 * The JSON of what each own relation holds, in their order, without parsing it; undefined where
 * that takes parsing: for identifiers with escapes in them, and for texts from when the model had
 * other relations. Nothing that holds a quote can be mistaken for the end of an identifier, so that
 * what is expected behind each one tells whether it was read right.
 */
export function rawLinkage(
  { text, relationsOffset }: RawItem,
  { relationKeys, endKey }: LinkageKeys,
): readonly string[] | undefined {
  if (text.includes('\\', relationsOffset)) return undefined
  const texts: string[] = []
  let at = relationsOffset
  for (const key of relationKeys) {
    if (!text.startsWith(key, at)) return undefined
    const start = at + key.length
    at = valueEnd(text, start)
    texts.push(text.slice(start, at))
  }
  return (endKey === undefined ? at === text.length - 1 : text.startsWith(endKey, at))
    ? texts
    : undefined
}

/** Where null, a text or an array of texts ends that begins here. */
function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === quote) return text.indexOf('"', start + 1) + 1
  if (first !== bracket) return start + 'null'.length
  return text.charCodeAt(start + 1) === quote ? text.indexOf('"]', start + 1) + 2 : start + 2
}

const comma = 0x2c
const quote = 0x22
const bracket = 0x5b
